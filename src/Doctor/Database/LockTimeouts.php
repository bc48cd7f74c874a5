<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Closure;
use PDO;

/**
 * Bounds how long an answer of MySQL or MariaDB is waited for, the greeting too: by itself PHP waits for a day, and
 * PDO::ATTR_TIMEOUT is about connecting alone. A connection keeps what held when it was made.
 *
 * @internal
 */
final readonly class LockTimeouts
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
