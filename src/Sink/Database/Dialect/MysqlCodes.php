<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

/**
 * Error numbers of MySQL and MariaDB whose messages quote a value in an unusual form.
 *
 * https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html
 *
 * https://mariadb.com/kb/en/mariadb-error-code-reference/
 *
 * @internal
 */
final readonly class MysqlCodes
{
    /** SIGNAL and RESIGNAL, whose message their author wrote. */
    public const SIGNALS = [1642, 1643, 1644];

    public const NO_PARTITION = 1526;

    public const OUT_OF_RANGE_IN_EXPRESSION = 1690;
}
