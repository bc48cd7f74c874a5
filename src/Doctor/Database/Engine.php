<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

/**
 * @internal
 */
enum Engine: string
{
    case Mysql = 'MySQL';
    case Mariadb = 'MariaDB';
    case Postgres = 'PostgreSQL';

    /** @param string $version from the server: the driver mysql of an application may connect to MariaDB */
    public static function of(string $driver, string $version): ?self
    {
        return match (true) {
            $driver === 'pgsql' => self::Postgres,
            $driver === 'mysql' && str_contains(strtolower($version), 'mariadb') => self::Mariadb,
            $driver === 'mysql' => self::Mysql,
            default => null,
        };
    }
}
