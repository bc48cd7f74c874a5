<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use PDO;

/**
 * The version of a MySQL server. Laravel's drivers `mysql` and `mariadb` each connect to either server, and the servers
 * differ.
 *
 * @internal
 */
final readonly class MysqlVersion
{
    /** @return ?string null if the server is not MySQL */
    public static function of(PDO $pdo): ?string
    {
        if ($pdo->getAttribute(PDO::ATTR_DRIVER_NAME) !== 'mysql') {
            return null;
        }

        $version = $pdo->getAttribute(PDO::ATTR_SERVER_VERSION);

        return is_string($version) && ! str_contains($version, 'MariaDB') ? $version : null;
    }
}
