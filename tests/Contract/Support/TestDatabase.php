<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Tests\Support\MissingServer;

/**
 * The databases that the sink is tested on. The servers are those of bin/services.
 */
enum TestDatabase: string
{
    case Sqlite = 'sqlite';
    case MariaDb = 'mariadb';
    case MySql = 'mysql';
    case PostgreSql = 'pgsql';

    /** @return array<string, array{self}> */
    public static function all(): array
    {
        return ['SQLite' => [self::Sqlite], ...self::servers()];
    }

    /** @return array<string, array{self}> */
    public static function servers(): array
    {
        return [...self::mysqlFamily(), 'PostgreSQL' => [self::PostgreSql]];
    }

    /** @return array<string, array{self}> */
    public static function mysqlFamily(): array
    {
        return ['MariaDB' => [self::MariaDb], 'MySQL' => [self::MySql]];
    }

    public function isOfMysql(): bool
    {
        return $this === self::MariaDb || $this === self::MySql;
    }

    /**
     * Skips the running test where the server is not there; where CI=true it fails.
     *
     * @return array<string, string>
     */
    public function server(): array
    {
        $settings = [];

        foreach (['host', 'port', 'database', 'username', 'password'] as $part) {
            $variable = 'HEADROOM_'.strtoupper($this->value.'_'.$part);
            $settings[$part] = getenv($variable);

            if ($settings[$part] === false) {
                MissingServer::named(
                    $this->value,
                    "{$variable} is not set, so no {$this->name} to test on: bin/services run {$this->value} --"
                        .' <this command>.',
                );
            }
        }

        return $settings;
    }
}
