<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

/**
 * The databases that the workbench runs on. The servers are those of bin/services, known by HEADROOM_<NAME>_<PART>.
 */
enum WorkbenchDatabase: string
{
    case Sqlite = 'sqlite';
    case MariaDb = 'mariadb';
    case PostgreSql = 'pgsql';

    /** @return array<string, array{self}> */
    public static function byName(): array
    {
        return ['SQLite' => [self::Sqlite], 'MariaDB' => [self::MariaDb], 'PostgreSQL' => [self::PostgreSql]];
    }

    /** @return array<string, string>|null null when the server is not running */
    public function environment(): ?array
    {
        $environment = ['DB_CONNECTION' => $this->value];

        if ($this === self::Sqlite) {
            return $environment;
        }

        foreach (['HOST', 'PORT', 'DATABASE', 'USERNAME', 'PASSWORD'] as $part) {
            $value = getenv('HEADROOM_'.strtoupper($this->value).'_'.$part);

            if ($value === false) {
                return null;
            }

            $environment['DB_'.$part] = $value;
        }

        return $environment;
    }
}
