<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;

/**
 * The state and the settings of the application's SQL server.
 *
 * @internal
 */
final readonly class DatabaseServer
{
    /** Words in versions of MySQL, MariaDB, Percona, PostgreSQL and their packages. */
    private const WORDS = '/\A(?:log|debug|community|commercial|enterprise|standard|advanced|cluster|gpl|wsrep|ndb'
        .'|ubuntu|debian|deb|el|fc|mariadb|maria|rc|alpha|beta|devel|dmr|percona|pgdg|server|ubu|cll|lve'
        .'|google|azure|cloud|rds)\z/i';

    private const BUILDERS = [
        'cll' => 'CloudLinux', 'google' => 'Cloud SQL', 'azure' => 'Azure', 'cloud' => 'HeatWave',
        'rds' => 'Amazon RDS',
    ];

    private const PROVIDERS = [
        'aurora_' => 'Amazon Aurora', 'rds.' => 'Amazon RDS', 'cloudsql' => 'Cloud SQL', 'alloydb.' => 'AlloyDB',
        'azure' => 'Azure', 'neon.' => 'Neon', 'supautils.' => 'Supabase',
    ];

    /** Settings of PostgreSQL that a reload does not change. */
    private const AT_START = ['max_connections', 'shared_buffers'];

    /**
     * @param Engine $engine which may differ from the name of the driver
     * @param string $version from the server: 8.0.36, 10.11.6-MariaDB, 15.5
     * @param array<string, string> $variables settings, by name in lower case
     * @param array<string, string> $status counters since its start, by name in lower case
     * @param ?list<OpenTransaction> $transactions those that have been open for a while, the oldest first; null without
     *     permission
     */
    public function __construct(
        public Engine $engine,
        public string $version,
        private array $variables,
        private array $status,
        private ?array $transactions = [],
    ) {}

    /**
     * A fix of MySQL or MariaDB that sets a variable now and keeps it after a restart.
     *
     * @param int|string $value as SQL has it
     * @param string $verify the command that shows that it worked
     *
     * @throws FactUnavailable
     */
    public function fix(string $name, int|string $value, string $verify): Fix
    {
        $isKept = $this->persists();
        $before = $this->variable($name);

        return new Fix(
            '',
            $isKept ? [] : [new ManualChange(
                "The next start undoes it: put `{$name} = {$value}` below [mysqld] in my.cnf too.",
            )],
            ["mysql -e 'set ".($isKept ? 'persist' : 'global')." {$name} = {$value}'", "mysql -e 'flush status'"],
            'Run: mysql -e "'.($isKept ? "reset persist {$name}; " : '')."set global {$name} = {$before}\"",
            $verify,
        );
    }

    /**
     * A fix of PostgreSQL that sets a setting in postgresql.auto.conf.
     *
     * @param string $verify the query that shows that it worked
     * @param list<string> $first commands before it
     * @param string $undo a sentence before the undo of the setting
     */
    public function systemFix(string $name, string $value, string $verify, array $first = [], string $undo = ''): Fix
    {
        $apply = in_array($name, self::AT_START, true)
            ? 'sudo systemctl restart postgresql'
            : "psql -c 'select pg_reload_conf()'";

        return new Fix(
            commands: [...$first, "psql -c \"alter system set {$name} = '{$value}'\"", $apply],
            rollback: ltrim("{$undo} Run: psql -c 'alter system reset {$name}' && {$apply}"),
            verify: "psql -c \"{$verify}\"",
        );
    }

    private function persists(): bool
    {
        return $this->engine === Engine::Mysql && $this->isAtLeast('8.0');
    }

    public function isAtLeast(string $version): bool
    {
        return preg_match('/\d+(?:\.\d+)*/', $this->version, $number) === 1
            && version_compare($number[0], $version, '>=');
    }

    /**
     * @return list<OpenTransaction>
     *
     * @throws FactUnavailable
     */
    public function transactions(): array
    {
        return $this->transactions ?? throw FactUnavailable::because(
            "The user of the application may not see open transactions of {$this->engine->value}.",
            'mysql -u root -e "select * from information_schema.innodb_trx"',
        );
    }

    public function isMysql(): bool
    {
        return $this->engine !== Engine::Postgres;
    }

    /** @throws FactUnavailable */
    public function variable(string $name): string
    {
        return $this->variables[$name] ?? throw FactUnavailable::because(
            "{$this->engine->value} does not report its setting {$name}.",
            $this->isMysql() ? "mysql -e \"show global variables like '{$name}'\"" : "psql -c 'show {$name}'",
        );
    }

    /** Null if the server has no such setting, as an older version. */
    public function number(string $name): ?int
    {
        $value = $this->variables[$name] ?? null;

        return is_numeric($value) ? (int) $value : null;
    }

    /** @throws FactUnavailable */
    public function counter(string $name): float
    {
        $value = $this->status[$name] ?? null;

        return is_numeric($value)
            ? (float) $value
            : throw FactUnavailable::because(
                "{$this->engine->value} does not report {$name}.",
                $this->isMysql()
                    ? "mysql -e \"show global status like '{$name}'\""
                    : "psql -c 'select * from pg_stat_database'",
            );
    }

    public function has(string $counter): bool
    {
        return is_numeric($this->status[$counter] ?? null);
    }

    public function shown(string $counter): Evidence
    {
        return new Evidence(
            $counter,
            $this->status[$counter] ?? 'unknown',
            $this->isMysql() ? 'SHOW GLOBAL STATUS' : 'pg_stat_database and pg_stat_activity',
        );
    }

    public function variableEvidence(string $name): Evidence
    {
        return new Evidence(
            $name,
            $this->variables[$name] ?? 'unknown',
            $this->isMysql() ? 'SHOW GLOBAL VARIABLES' : 'pg_settings',
        );
    }

    /** Another product with its own releases that reports the version of this one: 8.0.11-TiDB-v7.5.0. */
    public function fork(): ?string
    {
        // A package of MariaDB has the name of a release of Debian or Ubuntu: 10.6.12-MariaDB-1:10.6.12+maria~jammy.
        $own = (string) preg_replace('/~\w+|[\s(].*/s', '', $this->version);
        preg_match_all('/[a-z]{2,}/i', $own, $words);
        $others = array_values(
            array_filter($words[0], static fn (string $word): bool => preg_match(self::WORDS, $word) !== 1),
        );

        return $others[0] ?? match (true) {
            isset($this->variables['crdb_version']) => 'CockroachDB',
            isset($this->variables['tidb_version']) => 'TiDB',
            default => null,
        };
    }

    /** The other vendor that may publish fixes, by settings that only it adds. */
    public function provider(): ?string
    {
        foreach (self::PROVIDERS as $prefix => $name) {
            foreach ($this->variables as $setting => $value) {
                if (str_starts_with($setting, $prefix)) {
                    return $name;
                }
            }
        }

        foreach (self::BUILDERS as $word => $name) {
            if (preg_match("/-{$word}\b/", $this->version) === 1) {
                return $name;
            }
        }

        return match (true) {
            str_contains($this->variables['basedir'] ?? '', 'rdsdbbin') => 'Amazon RDS',
            ($this->variables['version_comment'] ?? '') === 'Source distribution' => 'a distribution or a provider',
            default => null,
        };
    }
}
