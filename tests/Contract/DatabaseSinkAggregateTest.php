<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Closure;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Database\RowsRefused;
use Headroom\Sink\Database\UnableToMerge;
use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Tests\Contract\Support\AtCheckpoint;
use Headroom\Tests\Contract\Support\AtEach;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Redis\Patience;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Events\Dispatcher;
use mysqli;
use PgSql\Connection as PgConnection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * Every event is counted once, in whichever batch and beside whichever other node it is flushed.
 */
final class DatabaseSinkAggregateTest extends DatabaseTestCase
{
    private FreshDatabase $at;

    /** @var array<string, mixed> */
    private array $options = [];

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

    #[Test, Group('day-1')]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function three_nodes_that_flush_into_the_same_rows_at_once_lose_and_double_nothing(TestDatabase $kind): void
    {
        $this->begin($kind);
        $settings = json_encode(
            [...(array) $this->at->connection()->getConfig(), 'busy_timeout' => 10_000],
            JSON_THROW_ON_ERROR,
        );
        $go = new InputStream;
        $nodes = array_map(
            fn (int $seed): Process => $this->start('flush-counts', $go, $settings, '15', (string) $seed),
            [1, 2, 3],
        );
        // Sorted keys keep the nodes from deadlocks with each other, so another process provokes them.
        // SQLite has one writer at a time.
        $end = new InputStream;
        $backwards = $kind === TestDatabase::Sqlite ? null : $this->start('write-backwards', $end, $settings);
        $go->write("go\n");
        $go->close();
        $expected = [];

        foreach ($nodes as $node) {
            self::assertSame(0, $node->wait(), $node->getErrorOutput().$node->getOutput());
            /** @var array<string, int> $sums */
            $sums = json_decode(explode("\n", $node->getOutput())[1], true, flags: JSON_THROW_ON_ERROR);

            foreach ($sums as $key => $count) {
                $expected[$key] = ($expected[$key] ?? 0) + $count;
            }
        }

        $end->close();
        self::assertSame(0, $backwards?->wait() ?? 0, $backwards?->getErrorOutput() ?? '');
        ksort($expected);
        self::assertSame($expected, $this->countsByKey($kind));
        self::assertSame(2700, array_sum($expected));
    }

    #[Test]
    #[DataProvider('moments')]
    public function a_session_lost_within_a_delivery_adds_nothing_until_the_next_try(
        TestDatabase $kind,
        string $moment,
    ): void {
        $this->begin($kind);
        $this->deliver([['name' => 'a', 'hour' => 1]]);
        $sink = $this->at->configured(
            $this->options(),
            new AtCheckpoint($moment, fn () => $this->at->endSession($this->at->sessionId())),
        );
        $delivery = $this->log->delivery([['name' => 'a', 'hour' => 1], ['name' => 'a', 'hour' => 1]]);
        $this->failureOf($sink, $delivery);
        self::assertEquals([['a', 1]], $this->counts('name', 'calls'));
        $sink->deliver($delivery);
        self::assertEquals([['a', 3]], $this->counts('name', 'calls'));

        try {
            $this->sink()->deliver($delivery);
            self::fail('It was taken again.');
        } catch (CursorMoved) {
            self::assertEquals([['a', 3]], $this->counts('name', 'calls'));
        }
    }

    /** @return iterable<string, array{TestDatabase, string}> */
    public static function moments(): iterable
    {
        foreach (TestDatabase::servers() as $name => [$kind]) {
            yield "{$name}, ledger.advanced" => [$kind, 'ledger.advanced'];
            yield "{$name}, rows.inserted" => [$kind, 'rows.inserted'];
        }
    }

    #[Test]
    #[TestDox('deadlock')]
    #[RequiresPhpExtension('mysqli')]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function the_victim_of_a_deadlock_in_innodb_adds_once(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->deliver([['name' => 'a', 'hour' => 1], ['name' => 'b', 'hour' => 1]]);
        $server = $kind->server();
        $other = new mysqli(
            $server['host'],
            $server['username'],
            $server['password'],
            $this->at->name,
            (int) $server['port'],
        );
        // InnoDB rolls back the transaction that has changed fewer rows.
        $heavy = implode(', ', array_map(static fn (int $number): string => "('heavy {$number}', 1)", range(1, 200)));
        $other->query('start transaction');
        $other->query("insert into counts (name, hour) values {$heavy}");
        $other->query("update counts set calls = calls + 100 where name = 'b' and hour = 1");

        $this->deadlock(
            static fn () => $other->query('update spool_ledger set dead = 7', MYSQLI_ASYNC),
            static function () use ($other): void {
                $other->reap_async_query();
                $other->query('rollback');
            },
        );
        $other->close();
    }

    #[Test]
    #[TestDox('deadlock')]
    #[RequiresPhpExtension('pgsql')]
    public function the_victim_of_a_deadlock_on_postgresql_adds_once(): void
    {
        $this->begin(TestDatabase::PostgreSql);
        $this->deliver([['name' => 'a', 'hour' => 1], ['name' => 'b', 'hour' => 1]]);
        $server = TestDatabase::PostgreSql->server();
        $other = pg_connect(
            "host={$server['host']} port={$server['port']} dbname={$server['database']} user={$server['username']}"
                ." password={$server['password']}",
        );
        self::assertInstanceOf(PgConnection::class, $other);
        // The session that looks first finds the deadlock and is its victim.
        $this->at->connection()->unprepared("set deadlock_timeout = '20ms'");
        pg_query(
            $other,
            "set deadlock_timeout = '60s'; set search_path = {$this->at->name}; begin; update counts set calls = calls"
                ." + 100 where name = 'b' and hour = 1",
        );

        try {
            $this->deadlock(function () use ($other): void {
                pg_send_query($other, 'update spool_ledger set dead = 7');
                Patience::until(
                    fn (): bool => $this->at->other()->scalar(
                        'select wait_event_type from pg_stat_activity where pid = ?',
                        [pg_get_pid($other)],
                    ) === 'Lock',
                    'the other session waits',
                );
            }, static function () use ($other): void {
                pg_get_result($other);
                pg_query($other, 'rollback');
            });
        } finally {
            // Its locks would keep the tables from being dropped.
            pg_close($other);
        }
    }

    /** The other session holds the row b and waits for the ledger's row, which the sink holds while it waits for b. */
    private function deadlock(Closure $wait, Closure $end): void
    {
        $begun = 0;
        $sink = $this->at->configured(
            $this->options(),
            new AtEach([
                'ledger.advanced#1' => $wait,
                'delivery.begun#2' => static function () use ($end, &$begun): void {
                    $begun = 2;
                    $end();
                },
            ]),
        );
        $this->registered($sink)->deliver($this->log->delivery([
            ['name' => 'b', 'hour' => 1, 'calls' => 5],
            ['name' => 'a', 'hour' => 1, 'calls' => 3],
        ]));

        self::assertSame(2, $begun, 'There was no deadlock.');
        self::assertEquals([['a', 4], ['b', 6]], $this->counts('name', 'calls'));
        self::assertSame(0, $this->at->connection()->transactionLevel());
    }

    /** @param array<string, mixed> $options */
    private function begin(TestDatabase $kind, array $options = []): void
    {
        $this->at = $this->database($kind);
        $this->options = $options;
        $this->at->connection()->getSchemaBuilder()->create('counts', static function (Blueprint $table): void {
            $table->string('name', 40);
            $table->integer('hour');
            $table->bigInteger('calls')->nullable()->default(0);
            $table->decimal('cost', 24, 4)->default(0);
            $table->string('label')->nullable();
            $table->dateTime('last_at')->nullable();
            $table->integer('least')->nullable();
            $table->primary(['name', 'hour']);
        });
    }

    /** @return array<string, mixed> */
    private function options(): array
    {
        return [
            'table' => 'counts',
            'mode' => 'aggregate',
            'unique' => ['name', 'hour'],
            'sum' => ['calls'],
            ...$this->options,
        ];
    }

    private function sink(): DatabaseSink
    {
        return $this->at->configured($this->options());
    }

    /** @param non-empty-list<non-empty-array<string, scalar|null>> $rows */
    private function deliver(array $rows): void
    {
        $this->registered($this->sink())->deliver($this->log->delivery($rows));
    }

    private function start(string $script, InputStream $input, string ...$arguments): Process
    {
        $process = new Process(
            [PHP_BINARY, __DIR__."/Support/fixtures/{$script}.php", ...array_values($arguments)],
            input: $input,
            timeout: 120,
        );
        $process->start();
        Printed::by($process, 'ready');

        return $process;
    }

    /** @return array<string, int> calls, each of which cost 0.1 */
    private function countsByKey(TestDatabase $kind): array
    {
        $seen = [];

        foreach ($this->counts('name', 'hour', 'calls', 'cost') as [$name, $hour, $calls, $cost]) {
            self::assertTrue(is_string($name) && is_numeric($hour) && is_numeric($calls) && is_numeric($cost));
            $seen["{$name}/{$hour}"] = (int) $calls;
            // SQLite has no decimals.
            self::assertEqualsWithDelta($calls / 10, $cost, $kind === TestDatabase::Sqlite ? 1e-9 : 0.0);
        }

        ksort($seen);

        return $seen;
    }

    /** @return list<list<mixed>> */
    private function counts(string ...$columns): array
    {
        return array_map(
            static fn (object $row): array => array_values(get_object_vars($row)),
            array_values(
                $this->at->connection()->table('counts')->orderBy('name')->orderBy('hour')->get($columns)->all(),
            ),
        );
    }
}
