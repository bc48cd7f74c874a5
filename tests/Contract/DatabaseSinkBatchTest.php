<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Dates;
use Headroom\Core\Rows;
use Headroom\Sink\Delivery;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Contract\Support\WatchedStatement;
use Illuminate\Database\Schema\Blueprint;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use WeakReference;

/**
 * Batches that are larger than a statement may be, and tables with unusual names.
 */
final class DatabaseSinkBatchTest extends DatabaseTestCase
{
    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_batch_with_more_values_than_the_driver_takes_arrives_in_one_transaction(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        // 70,002 values: two statements on the servers, four on SQLite.
        $rows = array_map(
            static fn (int $number): array => ['name' => "event {$number}", 'number' => $number],
            range(1, 35_001),
        );
        $sink->deliver($this->log->delivery($rows));

        self::assertSame(35_001, $database->connection()->table('events')->count());
        self::assertEquals(
            [1, 35_001, 612_552_501],
            array_values(get_object_vars(
                (object) $database->connection()
                    ->table('events')
                    ->selectRaw('min(number) as a, max(number) as b, sum(number) as c')
                    ->first(),
            )),
        );

        // The last row of all is refused: nothing of the first statements may stay.
        $rows = array_map(
            static fn (int $number): array => ['name' => "next {$number}", 'number' => $number],
            range(1, 35_000),
        );
        $this->failureOf($sink, $this->log->delivery([...$rows, ['name' => 'event 1', 'number' => 0]]));

        self::assertSame(35_001, $database->connection()->table('events')->count());
        self::assertSame(35_001, $this->delivered($database));
    }

    #[Test]
    public function no_statement_for_sqlite_has_more_values_than_its_stock_limit(): void
    {
        $database = $this->database(TestDatabase::Sqlite);
        $sink = $this->registered($database->sink('events'));
        // Debian's build takes 250,000; others keep to https://www.sqlite.org/limits.html#max_variable_number.
        $database->connection()->getPdo()->setAttribute(PDO::ATTR_STATEMENT_CLASS, [WatchedStatement::class]);
        WatchedStatement::$mostValues = 0;
        $sink->deliver($this->log->delivery(array_map(
            static fn (int $number): array => ['name' => "event {$number}", 'number' => 1],
            range(1, 20_000),
        )));

        self::assertSame(20_000, $database->connection()->table('events')->count());
        self::assertGreaterThan(1, WatchedStatement::$mostValues);
        self::assertLessThanOrEqual(32_766, WatchedStatement::$mostValues);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function rows_of_900_kib_arrive_whole_in_statements_below_the_smallest_packet_limit(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->create('documents', static function (Blueprint $table): void {
            $table->id('row');
            $table->longText('body');
        });
        $rows = array_map(
            static fn (int $number): array => ['body' => str_repeat(chr(64 + $number), 900 * 1024)],
            range(1, 12),
        );

        if ($kind->isOfMysql()) {
            // The limit of a session is the global one at its start.
            $database->other()->statement('set global max_allowed_packet = 4194304');
            $database->connection()->disconnect();
        }

        try {
            $this->registered($database->sink('documents'))->deliver($this->log->delivery($rows));
        } finally {
            if ($kind->isOfMysql()) {
                $database->other()->statement('set global max_allowed_packet = default');
            }
        }

        $lengths = array_map(
            static fn (array $row): array => is_string($row['body']) ? [$row['body'][0], strlen($row['body'])] : [],
            $database->rows('documents'),
        );
        self::assertSame(
            array_map(static fn (string $letter): array => [$letter, 900 * 1024], range('A', 'L')),
            $lengths,
        );
    }

    #[Test]
    public function the_same_columns_in_another_order_are_one_statement(): void
    {
        $database = $this->database(TestDatabase::Sqlite);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->log->delivery([
            ['name' => 'a', 'number' => 1],
            ['number' => 2, 'name' => 'b'],
            ['name' => 'c', 'number' => 3],
        ]));

        // One group keeps the order of the log; two would have put b behind c.
        self::assertSame(
            [['name' => 'a', 'number' => 1], ['name' => 'b', 'number' => 2], ['name' => 'c', 'number' => 3]],
            $database->rows('events'),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function as_many_columns_are_not_the_same_columns(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->create('notes', static function (Blueprint $table): void {
            $table->id('row');
            $table->string('name')->nullable();
            $table->integer('number')->nullable();
            $table->string('note')->nullable()->default('none');
        });
        $this->registered($database->sink('notes'))->deliver($this->log->delivery([
            ['name' => 'a', 'number' => 1],
            ['name' => 'b', 'note' => 'x'],
            ['number' => null, 'name' => 'c'],
        ]));
        $byName = array_column($database->rows('notes'), null, 'name');
        ksort($byName);

        self::assertSame([
            'a' => ['name' => 'a', 'number' => 1, 'note' => 'none'],
            'b' => ['name' => 'b', 'number' => null, 'note' => 'x'],
            'c' => ['name' => 'c', 'number' => null, 'note' => 'none'],
        ], $byName);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function batches_of_other_shapes_follow_each_other(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('a', 'b'));
        $sink->deliver($this->log->delivery([['name' => 'c'], ['name' => 'd']]));
        $sink->deliver($this->events('e'));
        $sink->deliver($this->events('f', 'g'));

        self::assertSame(range('a', 'g'), $this->names($database));
        self::assertSame(7, $this->delivered($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_table_that_changed_since_the_last_batch_takes_what_it_takes_now(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('a'));
        $database->other()->getSchemaBuilder()->table('events', static function (Blueprint $table): void {
            $table->string('number')->nullable()->change();
        });
        $sink->deliver($this->log->delivery([['name' => 'b', 'number' => 'a word']]));

        self::assertSame(
            [['name' => 'a', 'number' => '1'], ['name' => 'b', 'number' => 'a word']],
            $database->rows('events'),
        );
        self::assertSame(2, $this->delivered($database));
        $this->failureOf($sink, $this->events('a'));
        self::assertSame(['a', 'b'], $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function no_batch_of_another_size_is_prepared_once_its_powers_of_two_are(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sent = 0;
        $prepares = function (int ...$batches) use ($database, $sink, &$sent): int {
            $before = $this->prepared($database);

            foreach ($batches as $rows) {
                $sink->deliver($this->log->delivery(array_map(
                    static fn (int $number): array => ['name' => "event {$number}", 'number' => $number],
                    range($sent + 1, $sent + $rows),
                )));
                $sent += $rows;
            }

            // The question is prepared, too.
            return $this->prepared($database) - $before - 1;
        };
        // The first two sizes have a statement each, the third has the seven of powers of two.
        $prepares(80);
        self::assertSame(8, $prepares(81, 127));
        self::assertSame(0, $prepares(90, 101, 5, 64, 1, 126));
        // A full batch has others behind it: one of as many rows is worth a statement of its own.
        self::assertSame(1, $prepares(100, 100));
        self::assertSame(0, $prepares(100, 100, 77));
        self::assertSame(range(1, $sent), array_column($database->rows('events'), 'number'));
        self::assertSame($sent, $this->delivered($database));
    }

    /** How often the session has done so. */
    private function prepared(FreshDatabase $database): int
    {
        $statement = $database->connection()->getPdo()->query("show session status like 'Com_stmt_prepare'");

        return $statement === false ? -1 : (int) $statement->fetchColumn(1);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function long_values_do_not_stay_with_the_statements_that_are_kept(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->create('documents', static function (Blueprint $table): void {
            $table->id('row');
            $table->longText('body');
            $table->binary('bytes');
        });
        $sink = $this->registered($database->sink('documents'));
        $deliver = function (int $bytes) use ($sink): void {
            foreach ([2, 4, 8] as $rows) {
                $sink->deliver($this->log->delivery(array_fill(0, $rows, [
                    'body' => str_repeat('x', $bytes),
                    'bytes' => new Bytes(str_repeat("\xFF", min(60_000, $bytes))),
                ])));
            }

            gc_collect_cycles();
        };
        $deliver(1);
        $before = memory_get_usage();
        $deliver(600_000);

        self::assertLessThan(1_000_000, memory_get_usage() - $before);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function of_a_connection_that_was_replaced_nothing_is_left_behind_the_next_delivery(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $number = 0;
        $deliver = function (int ...$batches) use ($sink, &$number): void {
            foreach ($batches as $rows) {
                $sink->deliver($this->log->delivery(array_map(
                    static fn (int $row): array => ['name' => "event {$row}"],
                    range($number + 1, $number += $rows),
                )));
            }
        };
        $deliver(5, 6, 7, 15);
        $old = WeakReference::create($database->connection()->getPdo());
        $database->connection()->reconnect();
        $deliver(2);
        gc_collect_cycles();

        self::assertNull($old->get());
        self::assertSame($number, $this->delivered($database));
    }

    #[Test]
    public function statements_that_the_server_forgot_are_prepared_again(): void
    {
        $database = $this->database(TestDatabase::PostgreSql);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('a'));
        // As what pools sessions between transactions does.
        $database->connection()->unprepared('deallocate all');
        $sink->deliver($this->events('b'));
        $database->connection()->unprepared('deallocate all');
        $sink->deliver($this->events('c'));

        self::assertSame(['a', 'b', 'c'], $this->names($database));
        self::assertSame(3, $this->delivered($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_column_of_dates_arrives_as_each_of_them(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $dates = Dates::parse(['2025-03-01T12:00:00.654321+05:45', '2024-02-29T23:59:59.000000+00:00']);
        self::assertNotNull($dates);
        $plain = $this->log->delivery([['name' => 'a'], ['name' => 'b']]);
        $batch = new Batch(Rows::ofColumns(['name' => $dates, 'number' => [1, null]]), $plain->batch->record(...));
        $this->registered($database->sink('events'))
            ->deliver(new Delivery($plain->source, $plain->from, $plain->to, $batch));

        self::assertSame(
            [['name' => '2025-03-01 12:00:00', 'number' => 1], ['name' => '2024-02-29 23:59:59', 'number' => null]],
            $database->rows('events'),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function two_sinks_on_one_connection_take_turns(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $this->table($database, 'others');
        $other = ContractLog::of('others');
        [$events, $others] = [$this->registered($database->sink('events')), $database->sink('others')];
        $others->register($other->source);

        foreach (['a', 'b', 'c'] as $name) {
            $events->deliver($this->events($name));
            $others->deliver($other->delivery([['name' => $name, 'number' => 2]]));
        }

        self::assertSame(['a', 'b', 'c'], $this->names($database));
        self::assertSame(['a', 'b', 'c'], $this->names($database, 'others'));
    }
}
