<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

/**
 * Error numbers of MySQL and MariaDB whose SQLSTATE does not tell that a row is at fault: most are HY000, of any error.
 * https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html
 * https://mariadb.com/kb/en/mariadb-error-code-reference/
 *
 * @internal
 */
final readonly class MysqlCodes
{
    /** SIGNAL and RESIGNAL with a text of their author. */
    public const SIGNALS = [1642, 1643, 1644];

    public const NO_PARTITION = 1526;

    public const OUT_OF_RANGE_IN_EXPRESSION = 1690;

    /** Smaller numbers are those of SQLite; PostgreSQL's driver gives 7. */
    private const FIRST = 1000;

    private const OF_ROWS = [
        // Values that a column does not take, and a column that a row lacks.
        1265, 1300, 1364, 1366, 1411, 1525, 3854, 3908, 3988,
        // A row that is too long for a page, or for the undo log.
        1118, 1713,
        // No partition, or not one of those that were named.
        self::NO_PARTITION, 1748, 1863,
        // A value for a column that is computed: MariaDB, MySQL.
        1906, 3105,
        // An index over an expression, a check, a JSON schema.
        3751, 3819, 3934,
        // Shapes, vectors, and JSON as the argument of a function.
        3033, 3034, 3048, 3055, 3069, 3070, 3071, 3072, 3643, 6136, 6138,
        ...self::SIGNALS,
    ];

    /** Patterns of MySQL and JSON of MariaDB, for a function. MySQL's own 4035 to 4045 are for administrators. */
    private const RANGES_OF_ROWS = [[3684, 3700], [4035, 4045]];

    /** Too many connections or resources of a user, or prepared statements: under 42000, and over soon all the same. */
    private const LIMITS = [1203, 1226, 1461];

    public static function isLimit(?int $code): bool
    {
        return in_array($code, self::LIMITS, true);
    }

    public static function isAboutRows(?int $code): bool
    {
        if ($code === null || $code < self::FIRST) {
            return false;
        }

        foreach (self::RANGES_OF_ROWS as [$first, $last]) {
            if ($code >= $first && $code <= $last) {
                return true;
            }
        }

        return in_array($code, self::OF_ROWS, true);
    }
}
