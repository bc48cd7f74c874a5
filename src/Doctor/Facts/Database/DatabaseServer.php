<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Database;

use Headroom\Doctor\ByHand;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnknownFact;

use function is_numeric;
use function preg_match;
use function version_compare;

/**
 * What the SQL server of the application says of itself.
 *
 * @internal
 */
final readonly class DatabaseServer
{
    /**
     * @param Engine $engine which it is, whatever the driver is called
     * @param string $version as it says itself: 8.0.36, 10.11.6-MariaDB, 15.5
     * @param array<string, string> $variables settings, by name in small letters
     * @param array<string, string> $status counters since its start, likewise
     * @param ?list<OpenTransaction> $transactions those that have been open for a while, the oldest first; null where they may not be seen
     */
    public function __construct(
        public Engine $engine,
        public string $version,
        private array $variables,
        private array $status,
        private ?array $transactions = [],
    ) {}

    /**
     * @param int|string $value as SQL has it
     * @return non-empty-list<string> that set it now, and for each start where the server keeps it itself
     */
    public function set(string $name, int|string $value): array
    {
        return ["mysql -e 'set ".($this->persists() ? 'persist' : 'global')." {$name} = {$value}'"];
    }

    /** @return list<ByHand> what keeps a setting after a restart of a server that does not keep it itself */
    public function keep(string $name, int|string $value): array
    {
        return $this->persists() ? [] : [
            new ByHand("The next start undoes it: put `{$name} = {$value}` below [mysqld] in my.cnf too."),
        ];
    }

    /** What takes a setting back. */
    public function back(string $name, int|string $value): string
    {
        return 'mysql -e "'.($this->persists() ? "reset persist {$name}; " : '')."set global {$name} = {$value}\"";
    }

    private function persists(): bool
    {
        return $this->engine === Engine::Mysql && $this->isAtLeast('8.0');
    }

    public function isAtLeast(string $version): bool
    {
        return preg_match('/\d+(?:\.\d+)*/', $this->version, $number) === 1 && version_compare($number[0], $version, '>=');
    }

    /**
     * @return list<OpenTransaction>
     *
     * @throws UnknownFact
     */
    public function transactions(): array
    {
        return $this->transactions ?? throw UnknownFact::because("The user of the application may not see open transactions of {$this->engine->value}.", 'mysql -u root -e "select * from information_schema.innodb_trx"');
    }

    public function isMysql(): bool
    {
        return $this->engine !== Engine::Postgres;
    }

    /** @throws UnknownFact */
    public function variable(string $name): string
    {
        return $this->variables[$name] ?? throw UnknownFact::because("{$this->engine->value} does not tell its setting {$name}.", $this->isMysql() ? "mysql -e \"show global variables like '{$name}'\"" : "psql -c 'show {$name}'");
    }

    /** Null where it does not tell it, as an older one that has no such setting. */
    public function number(string $name): ?int
    {
        $value = $this->variables[$name] ?? null;

        return is_numeric($value) ? (int) $value : null;
    }

    /** @throws UnknownFact */
    public function counter(string $name): float
    {
        $value = $this->status[$name] ?? null;

        return is_numeric($value) ? (float) $value : throw UnknownFact::because("{$this->engine->value} does not tell {$name}.", $this->isMysql() ? "mysql -e \"show global status like '{$name}'\"" : "psql -c 'select * from pg_stat_database'");
    }

    public function has(string $counter): bool
    {
        return is_numeric($this->status[$counter] ?? null);
    }

    public function shown(string $counter): Evidence
    {
        return new Evidence($counter, $this->status[$counter] ?? 'not told', $this->isMysql() ? 'SHOW GLOBAL STATUS' : 'pg_stat_database and pg_stat_activity');
    }

    public function shownVariable(string $name): Evidence
    {
        return new Evidence($name, $this->variables[$name] ?? 'not told', $this->isMysql() ? 'SHOW GLOBAL VARIABLES' : 'pg_settings');
    }
}
