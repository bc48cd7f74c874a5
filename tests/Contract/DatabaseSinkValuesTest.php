<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;
use Headroom\Spool\Utf8;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\Direction;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\Level;
use Headroom\Tests\Contract\Support\Money;
use Headroom\Tests\Contract\Support\Mood;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Contract\Support\ValuesTestCase;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Carbon;
use Illuminate\Support\HtmlString;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * A buffered row equals the row of the same synchronous insert, but for fractions of a second that its column keeps.
 */
final class DatabaseSinkValuesTest extends ValuesTestCase
{
    /** @param non-empty-list<mixed> $values */
    #[Test]
    #[DataProvider('columnsAndValues')]
    public function a_buffered_row_equals_the_row_of_the_synchronous_insert(
        TestDatabase $kind,
        string $type,
        array $values,
    ): void {
        $database = $this->tables($kind, $type);
        $synchronous = [];

        foreach ($values as $value) {
            // A value that a synchronous insert cannot take at all arrives as the JSON text that its author would have
            // written.
            $synchronous[] = is_array($value) || $value instanceof Money ? json_encode($value) : $value;
        }

        foreach ($synchronous as $value) {
            // The query builder drops what such a column keeps; on PostgreSQL also one that is
            // declared without a number.
            $keeps = match ($kind) {
                TestDatabase::Sqlite => [],
                TestDatabase::MariaDb, TestDatabase::MySql => ['precise'],
                TestDatabase::PostgreSql => ['precise', 'dateTime', 'timestamp'],
            };
            $isKept = in_array($type, $keeps, true) && $value instanceof DateTimeInterface;
            $database->connection()
                ->table('direct')
                ->insert(['value' => $isKept ? $value->format('Y-m-d H:i:s.u') : $value]);
        }

        $this->buffer($database, array_map(static fn (mixed $value): array => ['value' => $value], $values));

        self::assertCount(count($values), $database->rows('direct'));
        self::assertSame($database->rows('direct'), $database->rows('buffered'));
    }

    /** @return iterable<string, array{TestDatabase, string, non-empty-list<mixed>}> */
    public static function columnsAndValues(): iterable
    {
        $utc = new DateTimeZone('UTC');
        $dates = [
            new DateTimeImmutable('2025-03-01 12:00:00', $utc),
            new DateTimeImmutable('2025-03-01 12:00:00.654321', $utc),
            new DateTimeImmutable('2025-03-30 02:30:00', new DateTimeZone('Asia/Kathmandu')),
            new DateTimeImmutable('2025-10-26 02:30:00', new DateTimeZone('+02:00')),
            Carbon::parse('2025-12-31 23:59:59.999999', 'America/New_York'),
            '2025-06-01 08:00:00',
            null,
        ];
        $types = [
            'string' => [
                'plain',
                '',
                '0',
                'Grüße 🚀',
                "two\nlines\r\n",
                '\\x41 \' " ` ? :a',
                7,
                -1.5,
                0.1,
                1e25,
                true,
                false,
                null,
                Mood::Happy,
                Level::High,
                Direction::North,
                new HtmlString('<b>'),
                ['a' => 1],
                [],
                new Money(5, 'EUR'),
                new DateTimeImmutable('2025-03-01 12:00:00.5', $utc),
            ],
            'text' => ['plain', str_repeat('ü', 70), ['list' => [1, 2.5, null, true], 'deep' => ['é' => '/']], null],
            'json' => [
                '{"a": 1}',
                ['a' => 1.0, 'b' => [true, null], 'c' => 'é/"\\'],
                [],
                ['x' => []],
                new Money(5, 'EUR'),
                '"text"',
                '7',
                null,
            ],
            'integer' => [0, -1, 2_147_483_647, '42', true, false, Level::High, null],
            'bigInteger' => [PHP_INT_MAX, PHP_INT_MIN, 9_007_199_254_740_993, '9223372036854775807', null],
            'boolean' => [true, false, 1, 0, '1', '0', null],
            'double' => [0.1, -1.5, 1e25, 1.5e-7, 1 / 3, 3, '2.25', 0.0, null],
            'decimal' => [0.1, '12345.678', 7, -0.005, 1 / 3, null],
            'dateTime' => $dates,
            'precise' => $dates,
            'timestamp' => $dates,
            'date' => $dates,
            'time' => ['12:34:56', null],
            'uuid' => ['01890a5d-ac96-774b-bcce-b302099a8057', null],
        ];

        foreach (TestDatabase::cases() as $kind) {
            foreach ($types as $type => $values) {
                yield "{$kind->name}, {$type}" => [$kind, $type, $values];
            }
        }

        yield 'SQLite, no type' => [TestDatabase::Sqlite, 'none', ['7', 7, 7.5, true, null, 'x']];
        yield 'PostgreSql, jsonb' => [
            TestDatabase::PostgreSql, 'jsonb', [['a' => 1.0, 'c' => 'é/"\\'], '{"b": 2}', null],
        ];
    }

    /** @param non-empty-list<mixed> $values */
    #[Test]
    #[DataProvider('changingTypes')]
    public function a_statement_that_is_kept_takes_a_value_of_another_type_each_time(
        TestDatabase $kind,
        string $type,
        array $values,
    ): void {
        $database = $this->tables($kind, $type);
        $log = ContractLog::of('values');
        $sink = $database->sink('buffered');
        $sink->register($log->source);

        foreach ($values as $value) {
            $database->connection()->table('direct')->insert(['value' => $value]);
            $sink->deliver($log->delivery($this->travelled([['value' => $value]], Utf8::Replace)));
        }

        self::assertSame($database->rows('direct'), $database->rows('buffered'));
    }

    /** @return iterable<string, array{TestDatabase, string, non-empty-list<mixed>}> */
    public static function changingTypes(): iterable
    {
        $numbers = ['1e-300', '9007199254740993', 1e-300, '9007199254740993'];
        yield 'MySql, a tiny number and a large one' => [TestDatabase::MySql, 'bigInteger', $numbers];
        yield 'SQLite, no type' => [
            TestDatabase::Sqlite, 'none', ['7', 7, null, '8', null, 8, 7.5, 9, 'x', 1, null, 2, 0.1],
        ];

        foreach (TestDatabase::cases() as $kind) {
            yield "{$kind->name}, string" => [
                $kind, 'string', [null, 'a', null, 7, 'b', null, -1.5, true, 1e25, 'c', 5],
            ];
            yield "{$kind->name}, numbers and words of digits" => [
                $kind, 'string', [7, '007', 8, ' 8', 9, '1.0E+25', 10, '1e400'],
            ];
            yield "{$kind->name}, double" => [$kind, 'double', [null, 1, 0.1, null, '2.25', 1 / 3, 3, null]];
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_field_that_an_event_lacks_gets_its_columns_default(TestDatabase $kind): void
    {
        $database = FreshDatabase::create($kind);
        $this->database = $database;
        $database->connection()->getSchemaBuilder()->create('buffered', static function (Blueprint $table): void {
            $table->id('row');
            $table->string('name');
            $table->string('status')->nullable()->default('new');
            $table->integer('tries')->default(3);
        });
        $this->buffer($database, [
            ['name' => 'a', 'status' => 'old', 'tries' => 1],
            ['name' => 'b'],
            ['tries' => 2, 'status' => null, 'name' => 'c'],
            ['name' => 'd', 'tries' => 9],
        ]);
        $byName = array_column($database->rows('buffered'), null, 'name');
        ksort($byName);

        self::assertSame([
            'a' => ['name' => 'a', 'status' => 'old', 'tries' => 1],
            'b' => ['name' => 'b', 'status' => 'new', 'tries' => 3],
            'c' => ['name' => 'c', 'status' => null, 'tries' => 2],
            'd' => ['name' => 'd', 'status' => 'new', 'tries' => 9],
        ], $byName);
    }
}
