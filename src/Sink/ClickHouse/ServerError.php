<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\HttpClient\HttpResponse;

/**
 * The cause of a ClickHouse exception, by its code in src/Common/ErrorCodes.cpp of ClickHouse.
 *
 * @internal
 */
enum ServerError
{
    /** The server's load: a retry may succeed. */
    case Busy;

    /** The content of the rows. */
    case Rows;

    /** The table, the user or the address: the server would take no row. */
    case Table;

    /**
     * CANNOT_PARSE_TEXT and its like, TYPE_MISMATCH, ARGUMENT_OUT_OF_BOUND, INCORRECT_DATA, TOO_LARGE_STRING_SIZE,
     * CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, CANNOT_PARSE_UUID, _DOMAIN_VALUE, _BOOL, VIOLATED_CONSTRAINT, _IPV4,
     * _IPV6, UNKNOWN_ELEMENT_OF_ENUM.
     */
    private const OF_ROWS = [
        6, 25, 26, 27, 33, 38, 41, 53, 69, 70, 72, 117, 130, 131, 349, 376, 441, 467, 469, 675, 676, 691,
    ];

    /**
     * NO_SUCH_COLUMN_IN_TABLE, NOT_IMPLEMENTED, UNKNOWN_TABLE, SYNTAX_ERROR, UNKNOWN_FORMAT, UNKNOWN_DATABASE,
     * UNKNOWN_SETTING, READONLY, UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, IP_ADDRESS_NOT_ALLOWED,
     * DATABASE_ACCESS_DENIED, ACCESS_DENIED, AUTHENTICATION_FAILED.
     */
    private const OF_TABLE = [16, 48, 60, 62, 73, 81, 115, 164, 192, 193, 194, 195, 291, 497, 516];

    /**
     * Any other error may be temporary: TOO_MANY_PARTS (252), MEMORY_LIMIT_EXCEEDED (241), timeouts (159, 160), no
     * ZooKeeper, ...
     */
    public static function of(int $code): self
    {
        return match (true) {
            in_array($code, self::OF_ROWS, true) => self::Rows,
            in_array($code, self::OF_TABLE, true) => self::Table,
            default => self::Busy,
        };
    }

    /** @return ?int null if the response is not an exception */
    public static function codeOf(HttpResponse $answer): ?int
    {
        return preg_match('/\A\s*Code: (\d{1,5})[,.]/', $answer->body, $m) === 1 ? (int) $m[1] : null;
    }
}
