<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use Illuminate\Database\Connection;
use PDO;
use PDOException;
use WeakMap;

/**
 * The largest statement that a server takes, queried once per connection. MySQL closes the connection after a larger
 * statement, and the client reports a server that has gone away.
 *
 * @internal
 */
final class ServerLimits
{
    /** @var ?WeakMap<PDO, self> */
    private static ?WeakMap $cache = null;

    /** The protocols of the servers allow 65,535. */
    private const PARAMETERS = 65_000;

    /** The default since 3.32, and 999 before. https://www.sqlite.org/limits.html */
    private const PARAMETERS_SQLITE = 32_000;

    private const PARAMETERS_SQLITE_BEFORE = 999;

    /** Columns of a table, also in MariaDB: https://dev.mysql.com/doc/refman/8.4/en/column-count-limit.html */
    private const COLUMNS_MYSQL = 4_096;

    /** https://www.postgresql.org/docs/current/limits.html */
    private const COLUMNS_POSTGRES = 1_600;

    /** The default. https://www.sqlite.org/limits.html */
    private const COLUMNS_SQLITE = 2_000;

    /** The type of a parameter, the length of its value and its null bit. */
    private const BYTES_AROUND_VALUE = 12;

    /** The header of a packet, or the rest of an emulated statement. */
    private const BYTES_AROUND_STATEMENT = 1_024;

    /**
     * @param int<1, max> $parameters in one statement
     * @param int<1, max> $columns of a table
     * @param ?int $bytes in one packet; null if the server has no such limit
     */
    private function __construct(
        public readonly int $parameters,
        public readonly int $columns,
        private readonly ?int $bytes = null,
        private readonly bool $isEmulated = false,
    ) {}

    public static function of(Connection $connection): self
    {
        $pdo = $connection->getPdo();
        self::$cache ??= new WeakMap;

        return self::$cache[$pdo] ??= match ($connection->getDriverName()) {
            'mysql', 'mariadb' => self::ofMysql($pdo),
            'sqlite' => self::ofSqlite($pdo),
            default => new self(self::PARAMETERS, self::COLUMNS_POSTGRES),
        };
    }

    /** True if the SQL text fits into a packet. */
    public function fitText(int $sqlBytes): bool
    {
        return $this->bytes === null || $sqlBytes <= $this->bytes - self::BYTES_AROUND_STATEMENT;
    }

    /**
     * True if the SQL text and the values fit into packets.
     *
     * @param int $bytes of all values
     * @param int $parameters number of values
     */
    public function fit(int $sqlBytes, int $bytes, int $parameters): bool
    {
        $values = $bytes + self::BYTES_AROUND_VALUE * $parameters;

        // The values travel in a packet of their own. An emulating driver puts them into the statement instead, where
        // each byte may have to be escaped.
        return $this->fitText($sqlBytes) && $this->fitText($this->isEmulated ? $sqlBytes + $values + $bytes : $values);
    }

    private static function ofMysql(PDO $pdo): self
    {
        $isEmulated = (bool) $pdo->getAttribute(PDO::ATTR_EMULATE_PREPARES);

        return new self(self::PARAMETERS, self::COLUMNS_MYSQL, self::packet($pdo), $isEmulated);
    }

    private static function packet(PDO $pdo): ?int
    {
        try {
            $answer = $pdo->query('select @@max_allowed_packet');
            $bytes = $answer === false ? null : $answer->fetchColumn();
        } catch (PDOException) {
            // A proxy may not answer the query.
            $bytes = null;
        }

        return is_numeric($bytes) && (int) $bytes > 0 ? (int) $bytes : null;
    }

    private static function ofSqlite(PDO $pdo): self
    {
        $version = $pdo->getAttribute(PDO::ATTR_SERVER_VERSION);
        $isOld = is_string($version) && version_compare($version, '3.32', '<');
        $parameters = $isOld ? self::PARAMETERS_SQLITE_BEFORE : self::PARAMETERS_SQLITE;
        $columns = self::COLUMNS_SQLITE;
        $options = $pdo->query('pragma compile_options');

        foreach ($options === false ? [] : $options->fetchAll(PDO::FETCH_COLUMN) as $option) {
            if (is_string($option) && preg_match('/\A(MAX_VARIABLE_NUMBER|MAX_COLUMN)=(\d+)\z/', $option, $m) === 1) {
                $columns = $m[1] === 'MAX_COLUMN' ? (int) $m[2] : $columns;
                $parameters = $m[1] === 'MAX_COLUMN' ? $parameters : min($parameters, (int) $m[2]);
            }
        }

        return new self(max(1, $parameters), max(1, $columns));
    }
}
