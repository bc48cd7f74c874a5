<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database;

use Headroom\Sink\Database\DatabaseError;
use Headroom\Sink\Database\DriverMessage;
use Illuminate\Database\QueryException;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Throwable;

/**
 * Texts as the servers word them; what the ones at hand really say is in the contract tests.
 */
final class DatabaseErrorTest extends TestCase
{
    #[Test]
    #[DataProvider('errors')]
    public function an_error_may_be_over_soon_or_not_and_is_shown_without_values(
        string $state,
        int $code,
        string $text,
        bool $isOfTheMoment,
        string $shown,
    ): void {
        $error = self::query(self::pdo($state, $code, $text));

        self::assertSame($isOfTheMoment, DatabaseError::isTransient($error));
        self::assertStringMatchesFormat("{$shown} (SQLSTATE {$state})", DatabaseError::reason($error));
    }

    /** @return array<string, array{string, int, string, bool, string}> */
    public static function errors(): array
    {
        return [...self::ofMysql(), ...self::ofPostgresql(), ...self::ofSqlite()];
    }

    #[Test]
    public function an_error_of_no_driver_is_shown_by_its_first_line(): void
    {
        $error = new RuntimeException("A listener failed.\nwith details");

        self::assertFalse(DatabaseError::isDriverError($error));
        self::assertSame('A listener failed', DatabaseError::reason($error));
    }

    #[Test]
    public function a_failure_that_only_laravels_wrapping_shows_values_of_is_unwrapped(): void
    {
        $error = self::query(new RuntimeException('Lost connection and no reconnector available.'));

        self::assertFalse(DatabaseError::isDriverError($error));
        self::assertSame('Lost connection and no reconnector available', DatabaseError::reason($error));
    }

    /** @return array<string, array{string, int, string, bool, string}> */
    private static function ofMysql(): array
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

    /** @return array<string, array{string, int, string, bool, string}> */
    private static function ofPostgresql(): array
    {
        return [
            'PostgreSQL raise in another language' => [
                '22023',
                7,
                "FEHLER:  Max Mustermann\nKONTEXT:  PL/pgSQL-Funktion f() Zeile 3 bei RAISE",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL duplicate' => [
                '23505',
                7,
                "ERROR:  duplicate key value violates unique constraint \"users_email\"\nDETAIL:"
                    .'  Key (email)=(secret) already exists.',
                false,
                'ERROR:  duplicate key value violates unique constraint "users_email"',
            ],
            'PostgreSQL null' => [
                '23502',
                7,
                "ERROR:  null value in column \"a\" of relation \"t\" violates not-null constraint\nDETAIL:"
                    .'  Failing row contains (1, secret, null).',
                false,
                'ERROR:  null value in column "a" of relation "t" violates not-null constraint',
            ],
            'PostgreSQL wrong type' => [
                '22P02',
                7,
                "ERROR:  invalid input syntax for type integer: \"column \"secret\"\"\nCONTEXT:"
                    ."  unnamed portal parameter $2 = 'secret'",
                false,
                'ERROR:  invalid input syntax for type integer: …',
            ],
            'PostgreSQL out of range' => [
                '22003',
                7,
                'ERROR:  value "4711" is out of range for type integer',
                false,
                'ERROR:  value is out of range for type integer',
            ],
            'PostgreSQL out of range of a float' => [
                '22003',
                7,
                "ERROR:  \"4711e999\" is out of range for type double precision\nCONTEXT:  unnamed portal parameter"
                    ." \$1 = '...'",
                false,
                'ERROR:  value is out of range for type double precision',
            ],
            'PostgreSQL in German' => [
                '22P02',
                7,
                'FEHLER:  ungültige Eingabesyntax für Typ integer: »secret«',
                false,
                'FEHLER:  ungültige Eingabesyntax für Typ integer: …',
            ],
            'PostgreSQL in Spanish' => [
                '22P02',
                7,
                'ERROR:  la sintaxis de entrada no es válida para tipo integer: «secret»',
                false,
                'ERROR:  la sintaxis de entrada no es válida para tipo integer: …',
            ],
            'PostgreSQL name of a table as a value' => [
                '42P01',
                7,
                "ERROR:  relation \"secret\" does not exist\nCONTEXT:  unnamed portal parameter \$1 = '...'",
                false,
                'ERROR:  relation …',
            ],
            'PostgreSQL too large' => [
                '54000',
                7,
                "ERROR:  index row size 2712 exceeds btree version 4 maximum 2704 for index \"i\"\nDETAIL:"
                    .'  Index row references tuple (0,1) in relation "t".',
                false,
                'ERROR:  index row size 2712 exceeds btree version 4 maximum 2704 for index "i"',
            ],
            'PostgreSQL character' => [
                '54000',
                7,
                'ERROR:  requested character too large for encoding: 4711',
                false,
                'ERROR:  requested character too large for encoding: …',
            ],
            'PostgreSQL raise of another state' => [
                '22023',
                7,
                "ERROR:  secret\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE\nSQL statement \"SELECT"
                    ." f()\"\nPL/pgSQL function g() line 1 at PERFORM",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL null beside a value like a raise' => [
                '23502',
                7,
                "ERROR:  null value in column \"a\" of relation \"t\" violates not-null constraint\nDETAIL:"
                    ."  Failing row contains (s\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE).",
                false,
                'ERROR:  null value in column "a" of relation "t" violates not-null constraint',
            ],
            'PostgreSQL date' => [
                '22008',
                7,
                'ERROR:  date/time field value out of range: "secret"',
                false,
                'ERROR:  date/time field value out of range: …',
            ],
            'PostgreSQL missing table' => [
                '42P01',
                7,
                "ERROR:  relation \"events\" does not exist\nLINE 1: insert into \"events\" values ('secret')",
                false,
                'ERROR:  relation "events" does not exist',
            ],
            'PostgreSQL raise' => [
                'P0001',
                7,
                "ERROR:  secret\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL deadlock' => [
                '40P01',
                7,
                "ERROR:  deadlock detected\nDETAIL:  Process 1 waits for ShareLock on transaction 2",
                true,
                'ERROR:  deadlock detected',
            ],
            'PostgreSQL serialization' => [
                '40001',
                7,
                'ERROR:  could not serialize access due to concurrent update',
                true,
                'ERROR:  could not serialize access due to concurrent update',
            ],
            'PostgreSQL shutdown' => [
                '57P01',
                7,
                "FATAL:  terminating connection due to administrator command\nserver closed the connection"
                    .' unexpectedly',
                true,
                'FATAL:  terminating connection due to administrator command',
            ],
            'PostgreSQL standby' => [
                '25006',
                7,
                'ERROR:  cannot execute UPDATE in a read-only transaction',
                false,
                'ERROR:  cannot execute UPDATE in a read-only transaction',
            ],
            'PostgreSQL refused' => [
                '08006',
                7,
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on"
                    .' that host and accepting TCP/IP connections?',
                true,
                'connection to server at "127.0.0.1", port 1 failed: Connection refused',
            ],
        ];
    }

    /** @return array<string, array{string, int, string, bool, string}> */
    private static function ofSqlite(): array
    {
        return [
            'SQLite missing table' => ['HY000', 1, 'no such table: events', false, 'no such table: events'],
            'SQLite constraint' => [
                '23000', 19, 'UNIQUE constraint failed: events.name', false, 'UNIQUE constraint failed: events.name',
            ],
            'SQLite trigger that speaks like a constraint' => [
                '23000', 19, 'FOO constraint failed: Max Mustermann', false, DriverMessage::RAISED,
            ],
            'SQLite check' => [
                '23000', 19, "CHECK constraint failed: name in ('a')", false, 'CHECK constraint failed: name in (…',
            ],
            'SQLite type' => [
                '23000',
                19,
                'cannot store TEXT value in INTEGER column t.n',
                false,
                'cannot store TEXT value in INTEGER column t.n',
            ],
            'SQLite raise' => ['23000', 19, 'secret is not welcome', false, DriverMessage::RAISED],
            'SQLite mismatch' => ['HY000', 20, 'datatype mismatch', false, 'datatype mismatch'],
            'SQLite busy' => ['HY000', 5, 'database is locked', true, 'database is locked'],
            'SQLite full' => ['HY000', 13, 'database or disk is full', true, 'database or disk is full'],
            'SQLite read only' => [
                'HY000', 8, 'attempt to write a readonly database', false, 'attempt to write a readonly database',
            ],
        ];
    }

    private static function pdo(string $state, int $code, string $text): PDOException
    {
        $error = new PDOException("SQLSTATE[{$state}]: Some words: {$code} {$text}");
        $error->errorInfo = [$state, $code, $text];

        return $error;
    }

    private static function query(Throwable $previous): QueryException
    {
        return new QueryException('default', 'insert into t values (?)', ['secret'], $previous);
    }
}
