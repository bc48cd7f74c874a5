<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Database\RowsRefused;
use Headroom\Sink\Database\Upsert\UnableToMerge;
use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Tests\Contract\Support\AggregateTestCase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Events\Dispatcher;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * Every event is counted once, in whichever batch and beside whichever other node it is flushed.
 */
final class DatabaseSinkAggregateTest extends AggregateTestCase
{
    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function counts_add_up_within_a_batch_and_over_batches(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->deliver([
            ['name' => 'a', 'hour' => 1, 'calls' => 2],
            ['name' => 'b', 'hour' => 1, 'calls' => 5],
            ['name' => 'a', 'hour' => 1, 'calls' => 3],
            ['name' => 'a', 'hour' => 2, 'calls' => 1],
        ]);
        $this->deliver([['hour' => 1, 'calls' => -1, 'name' => 'a'], ['name' => 'c', 'hour' => 1, 'calls' => 0]]);

        self::assertEquals(
            [['a', 1, 4], ['a', 2, 1], ['b', 1, 5], ['c', 1, 0]],
            $this->counts('name', 'hour', 'calls'),
        );
        self::assertSame(6, $this->delivered($this->at));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_event_without_the_one_column_counts_one(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->deliver([
            ['name' => 'a', 'hour' => 1],
            ['name' => 'a', 'hour' => 1],
            ['name' => 'a', 'hour' => 1, 'calls' => 5],
            ['name' => 'b', 'hour' => 1, 'calls' => true],
            ['name' => 'b', 'hour' => 1, 'calls' => false],
        ]);

        self::assertEquals([['a', 7], ['b', 1]], $this->counts('name', 'calls'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function of_several_columns_one_that_is_left_out_adds_nothing(TestDatabase $kind): void
    {
        $this->begin($kind, ['sum' => ['calls', 'cost']]);
        $this->deliver([['name' => 'a', 'hour' => 1, 'calls' => 1], ['name' => 'a', 'hour' => 1, 'cost' => '0.25']]);
        self::assertEquals([['a', 1, 0.25]], $this->counts('name', 'calls', 'cost'));

        $delivery = $this->log->delivery([['name' => 'a', 'hour' => 1]]);
        $why = UnableToMerge::nothingToAdd(['calls', 'cost'])->getMessage();
        self::assertEquals(
            RowsRefused::unmergeable('counts', $delivery->batch->record(0)->position, $why),
            $this->failureOf($this->registered($this->sink()), $delivery),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_value_that_is_no_number_is_refused_and_not_shown(TestDatabase $kind): void
    {
        $this->begin($kind);

        foreach ([null, 'secret', '', '0x1F', '1 2'] as $value) {
            $this->setUp();
            $delivery = $this->log->delivery([['name' => 'a', 'hour' => 1, 'calls' => $value]]);
            $failure = $this->failureOf($this->registered($this->sink()), $delivery);
            $why = UnableToMerge::notNumber('calls', get_debug_type($value))->getMessage();
            self::assertInstanceOf(InvalidRecords::class, $failure);
            self::assertEquals(
                RowsRefused::unmergeable('counts', $delivery->batch->record(0)->position, $why),
                $failure,
            );
            self::assertStringNotContainsString('secret', $failure->getMessage());
        }

        self::assertSame([], $this->counts('name'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function decimals_do_not_drift(TestDatabase $kind): void
    {
        $this->begin($kind, ['sum' => ['cost']]);
        $cents = static fn (int $count): array
            => array_map(static fn (): array => ['name' => 'a', 'hour' => 1, 'cost' => 0.1], range(1, $count));
        $this->deliver($cents(1000));
        $this->deliver([
            ...$cents(9),
            ['name' => 'a', 'hour' => 1, 'cost' => '-0.0001'],
            ['name' => 'a', 'hour' => 1, 'cost' => '9999999999999999.0000'],
            ['name' => 'a', 'hour' => 1, 'cost' => 1],
        ]);

        self::assertSame([['10000000000000100.8999']], $this->counts('cost'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_sum_that_the_column_cannot_hold_is_refused_and_changes_nothing(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->deliver([['name' => 'a', 'hour' => 1, 'calls' => PHP_INT_MAX - 1]]);
        $this->deliver([['name' => 'a', 'hour' => 1, 'calls' => 1]]);

        foreach ([[1], [PHP_INT_MAX, PHP_INT_MAX]] as $calls) {
            $failure = $this->failureOf(
                $this->registered($this->sink()),
                $this->log->delivery(array_map(
                    static fn (int $n): array => ['name' => 'a', 'hour' => 1, 'calls' => $n],
                    $calls,
                )),
            );
            self::assertInstanceOf(InvalidRecords::class, $failure, $failure->getMessage());
            $this->setUp();
        }

        self::assertSame([[PHP_INT_MAX]], $this->counts('calls'));
        // Within the batch it is too large for a while, and in the end it is not.
        $this->deliver([
            ['name' => 'b', 'hour' => 1, 'calls' => -5],
            ['name' => 'b', 'hour' => 1, 'calls' => PHP_INT_MIN + 5],
        ]);
        self::assertSame([[PHP_INT_MAX], [PHP_INT_MIN]], $this->counts('calls'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function the_first_event_makes_the_row_and_extremes_are_kept(TestDatabase $kind): void
    {
        $this->begin($kind, ['max' => ['last_at'], 'min' => ['least']]);
        $event = static fn (string $label, ?string $at, ?int $least): array
            => ['name' => 'a', 'hour' => 1, 'label' => $label, 'last_at' => $at, 'least' => $least];
        $this->deliver([
            $event('first', '2025-03-01 10:00:00', 5),
            $event('second', '2025-03-01 12:00:00', 7),
            $event('third', null, null),
            $event('fourth', '2025-03-01 11:00:00', 4),
        ]);
        self::assertEquals(
            [['first', 4, '2025-03-01 12:00:00', 4]],
            $this->counts('label', 'calls', 'last_at', 'least'),
        );
        $this->deliver([
            $event('fifth', '2025-03-01 09:00:00', null),
            ['name' => 'a', 'hour' => 1, 'least' => 2],
            ['name' => 'b', 'hour' => 1],
            ['name' => 'b', 'hour' => 1, 'least' => 3],
        ]);

        self::assertEquals(
            [['first', 6, '2025-03-01 12:00:00', 2], [null, 2, null, 3]],
            $this->counts('label', 'calls', 'last_at', 'least'),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_column_that_is_null_begins_at_zero(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->at->connection()->table('counts')->insert(['name' => 'a', 'hour' => 1, 'calls' => null]);
        $this->deliver([['name' => 'a', 'hour' => 1], ['name' => 'a', 'hour' => 1]]);

        self::assertEquals([['a', 2]], $this->counts('name', 'calls'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_event_that_bypasses_the_buffer_is_added_in_the_callers_transaction(TestDatabase $kind): void
    {
        $this->begin($kind);
        $sink = $this->sink();
        $direct = fn () => $sink->deliverDirectly(
            Delivery::direct('counts', [
                new Record(Position::start(), 0, ['name' => 'a', 'hour' => 1]),
                new Record(Position::start(), 0, ['name' => 'a', 'hour' => 1]),
            ]),
            static function (): void {},
        );
        $this->at->connection()->setEventDispatcher(new Dispatcher);
        $direct();

        try {
            $this->at->connection()->transaction(static function () use ($direct): void {
                $direct();

                throw new RuntimeException('planted');
            });
        } catch (RuntimeException) {
        }

        $this->at->connection()->transaction($direct);

        self::assertEquals([['a', 4]], $this->counts('name', 'calls'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function more_rows_than_a_statement_takes_are_added_in_one_transaction(TestDatabase $kind): void
    {
        $this->begin($kind);
        $rows = array_map(
            static fn (int $n): array => ['name' => "key {$n}", 'hour' => 1, 'calls' => $n],
            range(1, 25_000),
        );
        $this->deliver([...$rows, ...$rows]);

        self::assertEquals(
            [[25_000, 625_025_000]],
            array_map(
                static fn (object $row): array => array_values(get_object_vars($row)),
                $this->at->connection()->table('counts')->selectRaw('count(*) as a, sum(calls) as b')->get()->all(),
            ),
        );
    }
}
