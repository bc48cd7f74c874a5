<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database;

use Headroom\Sink\Database\Dialect\DriverMessage;

/**
 * Errors as MySQL and MariaDB word them.
 */
final readonly class MysqlErrors
{
    /**
     * @return array<string, array{string, int, string, bool, string}> SQLSTATE, the driver's code, the server's text,
     *     whether it is of the moment, what is shown
     */
    public static function all(): array
    {
        return [
            'MySQL duplicate' => [
                '23000',
                1062,
                "Duplicate entry 'secret' for key 'users.email_unique'",
                false,
                "Duplicate entry for key 'users.email_unique'",
            ],
            'MySQL duplicate of a value like the text around it' => [
                '23000',
                1062,
                "Duplicate entry 's' for key 'secret' for key 'PRIMARY'",
                false,
                "Duplicate entry for key 'PRIMARY'",
            ],
            'MySQL duplicate of a value with line breaks' => [
                '23000',
                1062,
                "Duplicate entry 's\nsecret' for key 'PRIMARY'",
                false,
                "Duplicate entry for key 'PRIMARY'",
            ],
            'MariaDB wrong type' => [
                '22007',
                1366,
                "Incorrect integer value: 'secret' for column `app`.`t`.`n` at row 12",
                false,
                'Incorrect integer value for column `app`.`t`.`n` at row 12',
            ],
            'MySQL wrong type' => [
                'HY000',
                1366,
                "Incorrect integer value: 'secret' for column 'n' at row 1",
                false,
                "Incorrect integer value for column 'n' at row 1",
            ],
            'MySQL JSON' => [
                '22032',
                3140,
                "Invalid JSON text: \"Missing a comma or '}'\" at position 21 in value for column 't.c'.",
                false,
                "Invalid JSON text at position 21 in value for column 't.c'",
            ],
            'MySQL no partition' => [
                'HY000', 1526, 'Table has no partition for value 4711', false, DriverMessage::NO_PARTITION,
            ],
            'MySQL sum' => [
                '22003',
                1690,
                "BIGINT value is out of range in '(coalesce(`app`.`t`.`n`,0) + values(`app`.`t`.`n`))'",
                false,
                'BIGINT value is out of range %s `app`.`t`.`n`',
            ],
            'MySQL sum of a text' => [
                '22003',
                1690,
                "DOUBLE value is out of range in '('secret`x`' + `n`)'",
                false,
                'DOUBLE value is out of range',
            ],
            'MySQL degrees' => [
                '22S02',
                3616,
                'Longitude 200.500000 is out of range in function st_x. It must be within (-180.000000, 180.000000].',
                false,
                'Longitude …',
            ],
            'MySQL computed' => [
                'HY000',
                3105,
                "The value specified for generated column 'g' in table 't' is not allowed.",
                false,
                "The value specified for generated column 'g' in table 't' is not allowed",
            ],
            'MySQL emoji' => [
                'HY000',
                3988,
                'Conversion from collation utf8mb4_general_ci into latin1_swedish_ci impossible for parameter',
                false,
                'Conversion from collation utf8mb4_general_ci into latin1_swedish_ci impossible for parameter',
            ],
            'MySQL signal of another state' => ['22023', 1644, 'secret is not welcome', false, DriverMessage::RAISED],
            'MySQL statements' => [
                '42000',
                1461,
                "Can't create more than max_prepared_stmt_count statements (current value: 16382)",
                true,
                "Can't create more than max_prepared_stmt_count statements (current value: …",
            ],
            'MySQL idle' => [
                'HY000',
                4031,
                'The client was disconnected by the server because of inactivity.'
                    .' See wait_timeout and interactive_timeout for configuring this behavior.',
                true,
                'The client was disconnected by the server because of inactivity.'
                    .' See wait_timeout and interactive_timeout for configuring this behavior',
            ],
            'MariaDB wrong type of a value with lines like those of PostgreSQL' => [
                '22007',
                1366,
                "Incorrect integer value: 's\nDETAIL:  secret' for column `app`.`t`.`n` at row 1",
                false,
                'Incorrect integer value for column `app`.`t`.`n` at row 1',
            ],
            'MariaDB constraint' => [
                '23000', 4025, 'CONSTRAINT `t.c` failed for `app`.`t`', false, 'CONSTRAINT `t.c` failed for `app`.`t`',
            ],
            'MariaDB in German' => [
                '22007',
                1366,
                "Falscher integer-Wert: 'secret' für Feld `app`.`t`.`n` in Zeile 1",
                false,
                'Falscher integer-Wert: …',
            ],
            'MySQL no default' => [
                'HY000',
                1364,
                "Field 'name' doesn't have a default value",
                false,
                "Field 'name' doesn't have a default value",
            ],
            'MySQL truncated' => [
                '01000',
                1265,
                "Data truncated for column 'mood' at row 1",
                false,
                "Data truncated for column 'mood' at row 1",
            ],
            'MySQL too long' => [
                '22001',
                1406,
                "Data too long for column 'name' at row 3",
                false,
                "Data too long for column 'name' at row 3",
            ],
            'MySQL missing table' => [
                '42S02', 1146, "Table 'app.events' doesn't exist", false, "Table 'app.events' doesn't exist",
            ],
            'MySQL missing column' => [
                '42S22', 1054, "Unknown column 'x' in 'INSERT INTO'", false, "Unknown column 'x' in 'INSERT INTO'",
            ],
            'MySQL syntax' => [
                '42000',
                1064,
                'You have an error in your SQL syntax; check the manual for the right syntax to use near'
                    ." 'secret' at line 1",
                false,
                'You have an error in your SQL syntax; check the manual for the right syntax to use near …',
            ],
            'MySQL check' => [
                'HY000',
                3819,
                "Check constraint 'positive' is violated.",
                false,
                "Check constraint 'positive' is violated",
            ],
            'MySQL signal' => ['45000', 1644, 'secret is not welcome', false, DriverMessage::RAISED],
            'MySQL deadlock' => [
                '40001',
                1213,
                'Deadlock found when trying to get lock; try restarting transaction',
                true,
                'Deadlock found when trying to get lock; try restarting transaction',
            ],
            'MySQL lock wait' => [
                'HY000',
                1205,
                'Lock wait timeout exceeded; try restarting transaction',
                true,
                'Lock wait timeout exceeded; try restarting transaction',
            ],
            'MySQL gone' => ['HY000', 2006, 'MySQL server has gone away', true, 'MySQL server has gone away'],
            'MySQL disk full' => ['HY000', 1114, "The table 'events' is full", true, "The table 'events' is full"],
            'MySQL read only' => [
                'HY000',
                1290,
                'The MariaDB server is running with the --read-only option so it cannot execute this statement',
                false,
                'The MariaDB server is running with the --read-only option so it cannot execute this statement',
            ],
            'MySQL access' => [
                '28000',
                1045,
                "Access denied for user 'app'@'10.0.0.1' (using password: YES)",
                false,
                "Access denied for user 'app'@'10.0.0.1' (using password: YES)",
            ],
        ];
    }
}
