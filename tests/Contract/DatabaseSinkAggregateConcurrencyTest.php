<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Closure;
use Headroom\Sink\CursorMoved;
use Headroom\Tests\Contract\Support\AggregateTestCase;
use Headroom\Tests\Contract\Support\AtCheckpoint;
use Headroom\Tests\Contract\Support\AtEach;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Redis\Patience;
use mysqli;
use PgSql\Connection as PgConnection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * Every event is counted once beside other nodes, in a deadlock and after a lost session.
 */
final class DatabaseSinkAggregateConcurrencyTest extends AggregateTestCase
{
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
}
