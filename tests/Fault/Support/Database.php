<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Sample;

/**
 * SQLite is always there; the servers are those of bin/services, known by HEADROOM_<NAME>_<PART>.
 */
enum Database: string
{
    case Sqlite = 'sqlite';
    case MariaDb = 'mariadb';
    case MySql = 'mysql';
    case PostgreSql = 'pgsql';

    /** @return array<string, array{self}> */
    public static function byName(): array
    {
        return [
            'SQLite' => [self::Sqlite],
            'MariaDB' => [self::MariaDb],
            'MySQL' => [self::MySql],
            'PostgreSQL' => [self::PostgreSql],
        ];
    }

    /** @return array<string, array{self}> */
    public static function sampled(): array
    {
        return Sample::of(self::byName(), 1);
    }

    /** @return array<string, scalar> a connection of Laravel's */
    public function connection(string $directory): array
    {
        if ($this === self::Sqlite) {
            // Nothing here cuts the power, and a test that waits for a lock must not wait long.
            return [
                'driver' => 'sqlite',
                'database' => "{$directory}/database.sqlite",
                'prefix' => '',
                'busy_timeout' => 5000,
                'synchronous' => 'off',
            ];
        }

        $connection = [
            'driver' => $this->value,
            'prefix' => 'fault_'.bin2hex(random_bytes(4)).'_',
            'charset' => $this === self::PostgreSql ? 'utf8' : 'utf8mb4',
        ];

        foreach (['host', 'port', 'database', 'username', 'password'] as $part) {
            $connection[$part] = $this->part($part);
        }

        return $connection;
    }

    private function part(string $part): string
    {
        $name = 'HEADROOM_'.strtoupper("{$this->value}_{$part}");
        $value = getenv($name);

        if ($value !== false) {
            return $value;
        }

        MissingServer::named(
            $this->value,
            "{$name} is not set, so there is no {$this->name} to test with: eval \"\$(bin/services start {$this->value}"
                .' && bin/services env)"',
        );
    }
}
