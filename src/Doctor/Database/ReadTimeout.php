<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Closure;
use PDO;

/**
 * Limits the time to wait for MySQL or MariaDB, including the greeting: PHP's default is a day, and PDO::ATTR_TIMEOUT
 * limits connecting only. A connection keeps the value of the time when it was opened.
 *
 * @internal
 */
final readonly class ReadTimeout
{
    public const SECONDS = 5;

    private const SETTING = 'mysqlnd.net_read_timeout';

    /** @param Closure(): PDO $connect */
    public static function with(Closure $connect): PDO
    {
        // False where PHP was built without mysqlnd.
        $before = ini_set(self::SETTING, (string) self::SECONDS);

        try {
            return $connect();
        } finally {
            $before === false ? null : ini_set(self::SETTING, $before);
        }
    }
}
