<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Permanent;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Utf8;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\Direction;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\Level;
use Headroom\Tests\Contract\Support\Money;
use Headroom\Tests\Contract\Support\Mood;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Carbon;
use Illuminate\Support\HtmlString;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A buffered row equals the row of the same synchronous insert, but for fractions of a second that its column keeps.
 */
final class DatabaseSinkValuesTest extends TestCase
{
    private ?FreshDatabase $database = null;

    protected function tearDown(): void
    {
        $this->database?->drop();
        $this->database = null;
    }

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
    public function bytes_and_none_follow_each_other_in_a_statement_that_is_kept(): void
    {
        $database = $this->tables(TestDatabase::PostgreSql, 'binary');
        $log = ContractLog::of('values');
        $sink = $database->sink('buffered');
        $sink->register($log->source);
        $sent = ["\xFF\\x41\0", null, "\xFE", 'text', null, "\0"];

        foreach ($sent as $value) {
            $sink->deliver($log->delivery($this->travelled([['value' => $value]], Utf8::Binary)));
        }

        self::assertSame(
            array_map(static fn (?string $value): string => $value === null ? 'null' : bin2hex($value), $sent),
            $this->hexOf($database->rows('buffered')),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function bytes_of_a_binary_bucket_arrive_byte_for_byte(TestDatabase $kind): void
    {
        $database = $this->tables($kind, 'binary');
        $sent = [
            implode('', array_map(chr(...), range(0, 255))),
            "caf\xE9",
            "NUL \0 and \0\0",
            'of UTF-8 only, but \\x41 \\101 \\\\ read as an escape',
            '\\x414243',
            'plain',
            '',
        ];
        $this->buffer(
            $database,
            array_map(static fn (string $value): array => ['value' => $value], $sent),
            Utf8::Binary,
        );

        self::assertSame(array_map(bin2hex(...), $sent), $this->hexOf($database->rows('buffered')));
    }

    #[Test]
    public function bytes_find_their_column_behind_a_prefix_and_in_another_schema_of_postgresql(): void
    {
        $database = FreshDatabase::create(TestDatabase::PostgreSql, ['prefix' => 'app_']);
        $this->database = $database;
        $database->connection()
            ->unprepared('create domain raw as bytea; create table app_buffered ("row" serial, value raw)');
        $this->buffer($database, [['value' => "\xFF\\x41\0"]], Utf8::Binary);
        $this->buffer($database, [['value' => "\xFE\\x41\0"]], Utf8::Binary, "{$database->name}.buffered");

        self::assertSame(['ff5c78343100', 'fe5c78343100'], $this->hexOf($database->rows('buffered')));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function other_columns_of_a_binary_bucket_take_their_values_as_ever(TestDatabase $kind): void
    {
        $database = FreshDatabase::create($kind);
        $this->database = $database;
        $database->connection()->getSchemaBuilder()->create('buffered', static function (Blueprint $table): void {
            $table->id('row');
            $table->binary('raw');
            $table->string('text');
            $table->dateTime('at');
            $table->json('data');
            $table->integer('number');
        });
        $this->buffer(
            $database,
            [[
                'raw' => "\xFF\\",
                'text' => 'C:\\new \\x41',
                'at' => '2025-03-01 12:00:00',
                'data' => ['a' => 1],
                'number' => 5,
            ]],
            Utf8::Binary,
        );

        [$row] = $database->rows('buffered');
        self::assertSame(
            [
                "\xFF\\",
                'C:\\new \\x41',
                '2025-03-01 12:00:00',
                $kind === TestDatabase::MySql ? '{"a": 1}' : '{"a":1}',
                5,
            ],
            array_values($row),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function text_with_a_nul_arrives_whole_or_is_refused_with_its_column(TestDatabase $kind): void
    {
        $database = $this->tables($kind, 'string');
        $database->connection()->table('direct')->insert(['value' => "a\0b"]);

        if ($kind !== TestDatabase::PostgreSql) {
            $this->buffer($database, [['value' => "a\0b"]]);
            self::assertSame([['value' => "a\0b"]], $database->rows('direct'));
            self::assertSame([['value' => "a\0b"]], $database->rows('buffered'));

            return;
        }

        self::assertSame(
            [['value' => 'a']],
            $database->rows('direct'),
            'If the driver no longer cuts text, the refusal can go.',
        );

        foreach ([Utf8::Replace, Utf8::Binary] as $utf8) {
            $failure = $this->failureOf(
                $database,
                ContractLog::of('values'),
                [['value' => 'fine'], ['value' => "secret\0b"]],
                $utf8,
            );
            self::assertInstanceOf(Permanent::class, $failure);
            self::assertMatchesRegularExpression(
                '/\A(?=.*\bvalue\b)(?=.*\bbuffered\b)(?=.*\bbytea\b)/',
                $failure->getMessage(),
            );
            self::assertStringNotContainsString('secret', $failure->getMessage());
        }

        self::assertSame([], $database->rows('buffered'));
        $this->buffer($database, [['value' => 'next']]);
        self::assertSame([['value' => 'next']], $database->rows('buffered'));
    }

    #[Test]
    public function bytes_that_are_no_text_are_refused_by_a_text_column_of_postgresql(): void
    {
        $database = $this->tables(TestDatabase::PostgreSql, 'string');
        $failure = $this->failureOf($database, ContractLog::of('values'), [['value' => "caf\xE9"]], Utf8::Binary);

        self::assertInstanceOf(Permanent::class, $failure);
        self::assertStringContainsString('22021', $failure->getMessage());
        self::assertSame([], $database->rows('buffered'));
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

    private function tables(TestDatabase $kind, string $type): FreshDatabase
    {
        $database = FreshDatabase::create($kind);
        $this->database = $database;

        foreach (['direct', 'buffered'] as $name) {
            if ($type === 'none') {
                $database->connection()->statement("create table {$name} (\"row\" integer primary key, value)");

                continue;
            }

            $database->connection()
                ->getSchemaBuilder()
                ->create($name, static function (Blueprint $table) use ($type): void {
                    $table->id('row');
                    (match ($type) {
                        'decimal' => $table->decimal('value', 12, 4),
                        'precise' => $table->dateTime('value', 6),
                        default => $table->addColumn($type, 'value', $type === 'string' ? ['length' => 255] : []),
                    })->nullable();
                });
        }

        return $database;
    }

    /** @param non-empty-list<array<string, mixed>> $rows */
    private function buffer(
        FreshDatabase $database,
        array $rows,
        Utf8 $utf8 = Utf8::Replace,
        string $table = 'buffered',
    ): void {
        $log = ContractLog::of('values');
        $sink = $database->sink($table);
        $sink->register($log->source);
        $sink->deliver($log->delivery($this->travelled($rows, $utf8)));

        self::assertSame(count($rows), $sink->progress($log->source)?->delivered);
    }

    /** @param non-empty-list<array<string, mixed>> $rows */
    private function failureOf(FreshDatabase $database, ContractLog $log, array $rows, Utf8 $utf8): UnableToDeliver
    {
        $sink = $database->sink('buffered');
        $delivery = $log->delivery($this->travelled($rows, $utf8));
        $sink->register($log->source);

        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('The rows were taken.');
    }

    /**
     * As they come out of a log.
     *
     * @param non-empty-list<array<string, mixed>> $rows
     * @return non-empty-list<non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>>
     */
    private function travelled(array $rows, Utf8 $utf8): array
    {
        $codec = new Codec($utf8);

        return array_map(static fn (array $row): array => $codec->decode($codec->encode($row))[0], $rows);
    }

    /**
     * @param list<array<string, mixed>> $rows
     * @return list<string> hex digits, because raw bytes in a failure message would spoil the terminal
     */
    private function hexOf(array $rows): array
    {
        return array_map(
            static fn (array $row): string
                => is_string($row['value']) ? bin2hex($row['value']) : get_debug_type($row['value']),
            $rows,
        );
    }
}
