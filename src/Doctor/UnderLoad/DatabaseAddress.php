<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\Database\DatabaseObserver;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\ReadTimeout;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Support\TerminalText;
use PDO;
use PDOException;
use SensitiveParameter;

/**
 * The address of an SQL server on the command line, with its account.
 *
 * @internal
 */
final readonly class DatabaseAddress
{
    private const SECONDS = 2;

    private const URL =
        '~\A(mysql|mariadb|pgsql|postgres|postgresql)://(?:([^:/@]*)(?::([^/@]*))?@)?'
        .'(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?(?:/([A-Za-z0-9_$-]*))?\z~';

    private function __construct(
        private string $driver,
        private string $host,
        private int $port,
        private string $database,
        private string $user,
        #[SensitiveParameter] private string $password,
    ) {}

    /** @param Closure(string): string $environment the value of a variable, '' if it is not set */
    public static function parse(#[SensitiveParameter] string $url, Closure $environment): ?self
    {
        if (preg_match(self::URL, $url, $m) !== 1) {
            return null;
        }

        $isMysql = in_array($m[1], ['mysql', 'mariadb'], true);
        $port = (int) (($m[5] ?? '') === '' ? ($isMysql ? 3306 : 5432) : $m[5]);
        $given = rawurldecode($m[3]);

        return $port < 1 || $port > 65_535 ? null : new self(
            $isMysql ? 'mysql' : 'pgsql',
            $m[4],
            $port,
            $m[6] ?? '',
            rawurldecode($m[2]),
            $given === '' ? $environment($isMysql ? 'MYSQL_PWD' : 'PGPASSWORD') : $given,
        );
    }

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public function facts(): DatabaseServer
    {
        return (new DatabaseProbe($this->connection()))->facts();
    }

    /**
     * The number of requests is unknown, because they may come from other machines.
     *
     * @throws FactUnavailable
     */
    public function window(DatabaseServer $server): DatabaseWindow
    {
        return (new DatabaseObserver(
            $this->connection(),
            $server->engine,
            $this->connection(...),
            static fn (): null => null,
        ))->facts();
    }

    /** @throws FactUnavailable */
    public function sampler(DatabaseServer $server): DatabaseSampler
    {
        return new DatabaseSampler($server->engine, "{$this->host}:{$this->port}", $this->connection());
    }

    /** @throws FactUnavailable */
    private function connection(): PDO
    {
        $name = $this->database === '' ? '' : ";dbname={$this->database}";
        // PHP's MySQL driver needs brackets around an IPv6 address, and no other client accepts them.
        $host = $this->driver === 'pgsql' ? $this->bareHost() : $this->host;

        try {
            return ReadTimeout::with(fn (): PDO => new PDO(
                "{$this->driver}:host={$host};port={$this->port}{$name}",
                $this->user,
                $this->password,
                [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => self::SECONDS],
            ));
        } catch (PDOException $e) {
            throw FactUnavailable::because(
                "{$this->driver}://{$this->host}:{$this->port} cannot be queried: "
                    .TerminalText::name($e->getMessage()),
                $this->command(),
            );
        }
    }

    private function command(): string
    {
        $user = $this->user === '' ? '' : ($this->driver === 'mysql' ? ' -u ' : ' -U ').escapeshellarg($this->user);

        $host = escapeshellarg($this->bareHost());

        return $this->driver === 'mysql'
            ? "mysql -h {$host} -P {$this->port}{$user} -p -e 'select version()'"
            : "psql -h {$host} -p {$this->port}{$user} -c 'select version()'";
    }

    private function bareHost(): string
    {
        return trim($this->host, '[]');
    }
}
