<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Spool\Encoding\Codec;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Database\QueryException;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * A statement that is kept has had values of other types before: what it does with the next one is what a statement of
 * its own would have done.
 */
final class DatabaseSinkKeptTypesTest extends DatabaseTestCase
{
    private const ROUNDS = 40;

    private const TYPES = [
        'varchar(255)', 'text', 'double precision', 'real', 'decimal(20, 6)', 'bigint', 'smallint', 'json', 'date',
    ];

    private int $seed = 0;

    /** @param array<string, mixed> $settings */
    #[Test, Group('day-1')]
    #[DataProvider('columns')]
    public function generated_values_arrive_as_by_a_direct_insert_or_are_refused_by_both(
        TestDatabase $kind,
        array $settings,
        string $declared,
    ): void {
        $this->seed = random_int(1, 1_000_000);
        mt_srand($this->seed);
        $database = $this->tables($kind, $settings, $declared);
        $values = $this->values();
        $taken = [];

        foreach ($values as $value) {
            $this->direct($database, $value) ? $taken[] = $value : $this->assertRefused($database, $value);
        }

        self::assertNotSame([], $taken);

        // One sink for all of them: its statements of one row, of two and of four have had every type.
        $this->log = ContractLog::of('types');
        $sink = $this->registered($database->sink('buffered'));
        $database->connection()->table('direct')->delete();

        for ($round = 0; $round < self::ROUNDS; $round++) {
            $number = [1, 2, 4, 3][$round % 4];
            $rows = array_map(static fn (): mixed => $taken[mt_rand(0, count($taken) - 1)], range(1, $number));
            array_map(fn (mixed $value): bool => $this->direct($database, $value), $rows);
            $sink->deliver($this->delivery($rows));
        }

        $expected = $this->stored($database, 'direct');
        self::assertSame($expected, $this->stored($database, 'buffered'), "Seed {$this->seed}");
    }

    /** @return iterable<string, array{TestDatabase, array<string, mixed>, string}> */
    public static function columns(): iterable
    {
        $emulated = [PDO::ATTR_EMULATE_PREPARES => true];

        foreach (self::TYPES as $declared) {
            foreach (TestDatabase::cases() as $kind) {
                yield "{$kind->name}, {$declared}" => [$kind, [], $declared];
            }

            foreach (TestDatabase::mysqlFamily() as $name => [$kind]) {
                yield "{$name}, emulated, {$declared}" => [$kind, ['options' => $emulated], $declared];
            }
        }

        foreach (["enum('7', '1', 'a')", 'bit(8)', 'varbinary(255)', 'bigint unsigned'] as $declared) {
            foreach (TestDatabase::mysqlFamily() as $name => [$kind]) {
                yield "{$name}, {$declared}" => [$kind, [], $declared];
            }
        }
    }

    /** @param array<string, mixed> $settings */
    private function tables(TestDatabase $kind, array $settings, string $declared): FreshDatabase
    {
        $database = $this->database($kind, $settings);
        $row = match ($kind) {
            TestDatabase::Sqlite => '"row" integer primary key',
            TestDatabase::MariaDb, TestDatabase::MySql => '`row` int not null auto_increment primary key',
            TestDatabase::PostgreSql => '"row" serial primary key',
        };

        foreach (['direct', 'buffered'] as $table) {
            $database->connection()->statement("create table {$table} ({$row}, value {$declared} null)");
        }

        return $database;
    }

    /** @return list<scalar|null> */
    private function values(): array
    {
        $values = [
            null, true, false, 0, 1, 7, -1, 255, 32_768, PHP_INT_MAX, PHP_INT_MIN, 20_250_301,
            '', '0', '7', '007', ' 7', '7 ', '+7', '-1', '1.50', '1e3', '1.0E+25', '0x41', 'a', 'A',
            '9223372036854775807', '18446744073709551615', '12345.678901', '9007199254740993', '9007199254740993.25',
            '1e-400', '0.'.str_repeat('0', 80).'1',
            '1.'.str_repeat('1', 90), '2025-03-01', '{"a":1}', '[]', '"text"', 'null', 'true', "5\n",
            0.0, -0.0, 0.1, -1.5, 1e25, 1.5e-7, 1 / 3, 1e15, 123456789012345678.0, PHP_FLOAT_MAX, PHP_FLOAT_MIN, 7.0,
        ];

        for ($i = 0; $i < 12; $i++) {
            $float = unpack('d', pack('q', (mt_rand() << 33) ^ (mt_rand() << 12) ^ mt_rand()))[1] ?? 0.0;
            $values[] = is_float($float) && is_finite($float) ? $float : mt_rand() / 1000;
            $values[] = mt_rand(-99_999_999, 99_999_999) / 10 ** mt_rand(0, 9);
        }

        return $values;
    }

    private function direct(FreshDatabase $database, mixed $value): bool
    {
        try {
            return $database->connection()->table('direct')->insert(['value' => $value]);
        } catch (QueryException) {
            return false;
        }
    }

    /** @param scalar|null $value */
    private function assertRefused(FreshDatabase $database, mixed $value): void
    {
        $this->log = ContractLog::of('refused');
        $failure = $this->failureOf($this->registered($database->sink('buffered')), $this->delivery([$value]));
        self::assertInstanceOf(InvalidRecords::class, $failure, "Seed {$this->seed}: ".$failure->getMessage());
    }

    /**
     * As they come out of a log.
     *
     * @param non-empty-list<mixed> $values
     */
    private function delivery(array $values): Delivery
    {
        $codec = new Codec;
        $travelled = static fn (mixed $value): array => $codec->decode($codec->encode(['value' => $value]))[0];
        /** @var non-empty-list<non-empty-array<string, scalar|null>> $rows */
        $rows = array_map($travelled, $values);

        return $this->log->delivery($rows);
    }

    /** @return list<mixed> byte for byte */
    private function stored(FreshDatabase $database, string $table): array
    {
        return array_map(
            static fn (array $row): mixed => is_string($row['value']) ? bin2hex($row['value']) : $row['value'],
            $database->rows($table),
        );
    }
}
