<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database\Dialect;

use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Dialect\DriverMessage;
use Headroom\Tests\Unit\Sink\Database\MysqlErrors;
use Headroom\Tests\Unit\Sink\Database\PostgresqlErrors;
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
        return [...MysqlErrors::all(), ...PostgresqlErrors::all(), ...self::ofSqlite()];
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
