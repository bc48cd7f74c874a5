<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database;

use Headroom\Sink\Database\PreparedInsert;
use Headroom\Sink\Database\StatementCache;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use WeakReference;

final class StatementCacheTest extends TestCase
{
    private const COLUMNS = ['a', 'b'];

    /**
     * @param int<1, max> $rows
     * @param int<1, max> $most
     * @param list<int> $portions
     */
    #[Test]
    #[DataProvider('batches')]
    public function rows_go_into_powers_of_two(int $rows, int $most, array $portions): void
    {
        self::assertSame($portions, self::afterTwoSizes()->portions(self::COLUMNS, $rows, $most));
        self::assertSame($rows, array_sum($portions));
    }

    /** @return iterable<string, array{int, int, list<int>}> */
    public static function batches(): iterable
    {
        yield 'one' => [1, 6500, [1]];
        yield 'a power' => [64, 6500, [64]];
        yield 'one less' => [63, 6500, [32, 16, 8, 4, 2, 1]];
        yield 'one more' => [65, 6500, [64, 1]];
        yield 'a full batch' => [1000, 6500, [512, 256, 128, 64, 32, 8]];
        yield 'a large one' => [5000, 6500, [1024, 1024, 1024, 1024, 512, 256, 128, 8]];
        yield 'more than the driver takes' => [1_500, 700, [512, 512, 256, 128, 64, 16, 8, 4]];
        yield 'each by itself' => [3, 1, [1, 1, 1]];
    }

    #[Test]
    public function of_many_columns_fewer_rows_go_together(): void
    {
        $kept = new StatementCache(inPowers: true);
        $columns = array_map(static fn (int $number): string => "c{$number}", range(1, 100));
        $kept->portions($columns, 98, 650);
        $kept->portions($columns, 99, 650);

        self::assertSame([128, 128, 64, 8, 2], $kept->portions($columns, 330, 650));
    }

    #[Test]
    public function a_short_flush_prepares_one_statement_for_batches_and_one_for_the_rest(): void
    {
        $kept = new StatementCache(inPowers: true);

        foreach ([1000, 1000, 1000, 437] as $rows) {
            self::assertSame([$rows], $kept->portions(self::COLUMNS, $rows, 6500));
        }

        self::assertSame([256, 128, 32, 16, 4, 2], $kept->portions(self::COLUMNS, 438, 6500));
    }

    #[Test]
    public function a_batch_as_large_as_the_last_of_its_shape_is_one_statement(): void
    {
        $kept = self::afterTwoSizes();

        self::assertSame([8, 2], $kept->portions(self::COLUMNS, 10, 100));
        self::assertSame([8, 2], $kept->portions(['a', 'c'], 10, 100));
        self::assertSame([10], $kept->portions(self::COLUMNS, 10, 100));
        self::assertSame([8, 1], $kept->portions(self::COLUMNS, 9, 100));
        self::assertSame([8, 2], $kept->portions(self::COLUMNS, 10, 100));
        self::assertSame([8, 2], $kept->portions(self::COLUMNS, 10, 9));
    }

    #[Test]
    public function without_powers_there_are_as_few_statements_as_possible_of_about_one_length(): void
    {
        $kept = new StatementCache(inPowers: false);

        foreach ([331, 347, 328, 331] as $rows) {
            self::assertSame([$rows], $kept->portions(self::COLUMNS, $rows, 6500));
        }

        self::assertSame([3500, 3500], $kept->portions(self::COLUMNS, 7000, 6500));
        self::assertSame([4334, 4334, 4333], $kept->portions(self::COLUMNS, 13_001, 6500));
        self::assertSame([1, 1, 1], $kept->portions(self::COLUMNS, 3, 1));
    }

    #[Test]
    public function each_power_of_two_is_prepared_once_and_one_other_size_is_kept(): void
    {
        $pdo = new PDO('sqlite::memory:');
        $kept = new StatementCache(inPowers: true);
        $power = self::made($kept, $pdo, ['a', 'b'], 4);
        $other = self::made($kept, $pdo, ['a', 'b'], 10);

        self::assertSame($power, self::made($kept, $pdo, ['a', 'b'], 4));
        self::assertSame($other, self::made($kept, $pdo, ['a', 'b'], 10));
        self::assertNotSame($power, self::made($kept, $pdo, ['a', 'b'], 8));
        self::assertNotSame($power, self::made($kept, $pdo, ['a', 'c'], 4));
        self::assertSame($power, self::made($kept, $pdo, ['a', 'b'], 4));
        self::made($kept, $pdo, ['a', 'b'], 11);
        self::assertNotSame($other, self::made($kept, $pdo, ['a', 'b'], 10));
        // A power of more rows than are kept is one of the others.
        $large = self::made($kept, $pdo, ['a', 'b'], 2048);
        self::made($kept, $pdo, ['a', 'b'], 4096);
        self::assertNotSame($large, self::made($kept, $pdo, ['a', 'b'], 2048));
    }

    #[Test]
    public function of_the_shapes_the_last_three_are_kept(): void
    {
        $pdo = new PDO('sqlite::memory:');
        $kept = new StatementCache(inPowers: true);
        $made = array_map(
            static fn (string $column): PreparedInsert => self::made($kept, $pdo, [$column], 4),
            ['a', 'b', 'c'],
        );
        self::assertSame($made[0], self::made($kept, $pdo, ['a'], 4));
        self::made($kept, $pdo, ['d'], 4);

        self::assertSame($made[0], self::made($kept, $pdo, ['a'], 4));
        self::assertSame($made[2], self::made($kept, $pdo, ['c'], 4));
        self::assertNotSame($made[1], self::made($kept, $pdo, ['b'], 4));
    }

    #[Test]
    public function another_connection_begins_with_none(): void
    {
        $old = new PDO('sqlite::memory:');
        $kept = new StatementCache(inPowers: true);
        array_map(
            static fn (int $rows): PreparedInsert => self::made($kept, $old, self::COLUMNS, $rows),
            [1, 2, 4, 10],
        );
        $weak = WeakReference::create($old);
        unset($old);
        self::made($kept, new PDO('sqlite::memory:'), self::COLUMNS, 8);

        self::assertNull($weak->get());
    }

    #[Test]
    public function a_dropped_statement_is_prepared_again(): void
    {
        $pdo = new PDO('sqlite::memory:');
        $kept = new StatementCache(inPowers: true);

        foreach ([4, 10] as $rows) {
            $dropped = self::made($kept, $pdo, self::COLUMNS, $rows);
            $kept->drop($dropped);
            self::assertNotSame($dropped, self::made($kept, $pdo, self::COLUMNS, $rows));
        }
    }

    /** As it is in a worker. */
    private static function afterTwoSizes(): StatementCache
    {
        $kept = new StatementCache(inPowers: true);
        $kept->portions(self::COLUMNS, 98_765, 100_000);
        $kept->portions(self::COLUMNS, 98_766, 100_000);

        return $kept;
    }

    /** @param non-empty-list<string> $columns */
    private static function made(StatementCache $kept, PDO $pdo, array $columns, int $rows): PreparedInsert
    {
        return $kept->statement($pdo, $columns, max(1, $rows), static fn (): string => 'select 1');
    }
}
