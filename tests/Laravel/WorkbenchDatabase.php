<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Sample;

/**
 * The databases that the workbench runs on. The servers are those of bin/services, known by HEADROOM_<NAME>_<PART>.
 */
enum WorkbenchDatabase: string
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

    /**
     * The running test ends where the server is not running.
     *
     * @return array<string, string>
     */
    public function environment(): array
    {
        $environment = ['DB_CONNECTION' => $this->value];

        if ($this === self::Sqlite) {
            return $environment;
        }

        foreach (['HOST', 'PORT', 'DATABASE', 'USERNAME', 'PASSWORD'] as $part) {
            $value = getenv('HEADROOM_'.strtoupper($this->value).'_'.$part);

            if ($value === false) {
                MissingServer::named(
                    $this->value,
                    "No {$this->name} is running for tests: bin/services run {$this->value} -- <this command>.",
                );
            }

            $environment['DB_'.$part] = $value;
        }

        return $environment;
    }
}
