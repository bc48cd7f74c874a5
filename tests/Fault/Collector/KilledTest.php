<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Blocker;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Ender;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Hog;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Support\Traffic;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * kill -9 in the middle of traffic, and what ends or blocks a process from within.
 */
#[Group('snapshot')]
final class KilledTest extends TestCase
{
    /** It takes some seconds until this one is given up, so it runs while the other tests do. */
    private static ?Running $hopeless = null;

    /** One worker of this one is stopped and the other one blocked from the beginning. */
    private static ?Running $stuck = null;

    /** @var array<string, int> */
    private static array $stuckPids = [];

    private static ?Client $stuckClient = null;

    public static function setUpBeforeClass(): void
    {
        self::$hopeless = Running::start(['workers' => 1, 'handlers' => ['/x' => Ender::class]], isReady: false);
        self::$stuck = Running::start(['workers' => 2, 'handlers' => ['/stuck' => Blocker::class]]);
        self::$stuckPids = self::$stuck->pids();
        posix_kill(self::$stuckPids['worker 1'], SIGSTOP);
        // The other one, as the first takes nothing any more.
        self::$stuckClient = (new Client(self::$stuck->address()))->get('/stuck');
    }

    public static function tearDownAfterClass(): void
    {
        self::$hopeless = self::$stuck = self::$stuckClient = null;
    }

    #[Test, Group('day-3')]
    public function killed_workers_take_no_acknowledged_event_along(): void
    {
        $collector = Running::start();
        $kills = 0;

        $traffic = (new Traffic($collector->address(), mayFail: true))->run(static function (Traffic $it) use (
            $collector,
            &$kills,
        ): bool {
            $pids = array_values($collector->pids());

            if (
                count($it->acknowledged) > 500 * ($kills + 1)
                && count($pids) === 2
                && posix_kill($pids[$kills % 2], SIGKILL)
            ) {
                $kills++;
                $collector->waitFor(static fn (Running $it): bool => array_intersect($pids, $it->pids()) !== $pids);
            }

            return $kills === 4;
        });

        self::assertSame('', $traffic->differsFrom($collector->collected()), $collector->log());
        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_worker_restarts_total{reason="crash"} 4',
        ));
    }

    #[Test, Group('day-1')]
    public function a_killed_supervisor_leaves_no_orphan_and_its_successor_takes_the_same_address(): void
    {
        $home = TemporaryDirectory::create('collector');
        $first = Running::start(home: $home);
        $address = $first->address();
        $orphans = $first->pids();

        $traffic = (new Traffic(
            $address,
            mayFail: true,
        ))->run(static fn (Traffic $it): bool => count($it->acknowledged) > 500 && posix_kill($first->pid, SIGKILL));
        $second = Running::start(['listen' => $address], home: $home);

        self::assertSame($address, $second->address());
        $again = (new Traffic(
            $address,
            mayFail: true,
        ))->run(static fn (Traffic $it): bool => count($it->acknowledged) > 100);
        $second->waitFor(static fn (): bool => array_filter($orphans, (new Proc)->isAlive(...)) === []);
        self::assertGreaterThan(100, count($again->acknowledged));
        $ids = $second->collected();
        self::assertSame([], array_diff(array_map(strval(...), array_keys($traffic->acknowledged)), $ids), 'lost');

        foreach ($orphans as $pid) {
            self::assertStringNotContainsString("(pid {$pid})", $second->log(), 'The successor would have killed it.');
            Snapshot::assertPrinted(
                'log of the collector',
                'a worker lost its supervisor',
                $second->logged("/ collect\\[{$pid}\\] \\K(?!an append to |the event loop was ).*/"),
            );
        }
    }

    #[Test, Group('day-2')]
    public function a_killed_flusher_is_started_again_and_loses_nothing(): void
    {
        $collector = Running::start(['workers' => 1, 'flushers' => 1]);
        $kills = 0;

        $traffic = (new Traffic($collector->address()))->run(static function (Traffic $it) use (
            $collector,
            &$kills,
        ): bool {
            $pid = array_values($collector->pids('flusher'))[0] ?? 0;

            if (count($it->acknowledged) > 1000 * ($kills + 1) && $pid > 0 && posix_kill($pid, SIGKILL)) {
                $kills++;
                $collector->waitFor(static fn (Running $it): bool => ! in_array($pid, $it->pids('flusher'), true));
            }

            return $kills === 2;
        });

        self::assertSame([], $traffic->failures);
        $collector->waitFor(static fn (Running $it): bool => $it->pids('flusher') !== []);
        self::assertSame(
            [],
            array_diff(array_map(strval(...), array_keys($traffic->acknowledged)), $collector->collected()),
            $collector->log(),
        );
    }

    #[Test]
    public function a_flusher_does_not_outlive_its_supervisor(): void
    {
        $collector = Running::start(['workers' => 1, 'flushers' => 1]);
        [$flusher] = array_values($collector->pids('flusher'));
        posix_kill($collector->pid, SIGKILL);

        $collector->waitFor(static fn (): bool => ! (new Proc)->isAlive($flusher));
        self::assertFalse($collector->isRunning());
    }

    #[Test, Group('day-1')]
    public function a_hanging_worker_of_a_killed_supervisor_is_killed_and_no_other(): void
    {
        $other = Running::start(['workers' => 1]);
        [$innocent] = array_values($other->pids());
        $home = TemporaryDirectory::create('collector');
        $first = Running::start(['workers' => 1, 'handlers' => ['/stuck' => Blocker::class]], home: $home);
        $address = $first->address();
        [$hanging] = array_values($first->pids());
        $blocked = (new Client($address))->get('/stuck');
        $first->waitFor(static fn (Running $it): bool => str_contains($it->log(), 'blocks'));
        posix_kill($first->pid, SIGKILL);
        $file = "{$home->path}/spool/collector/status.json";
        file_put_contents($file, json_encode(['processes' => [['pid' => $innocent], ['pid' => $hanging]]]));

        $second = Running::start(['workers' => 1, 'listen' => $address], home: $home);

        self::assertSame($address, $second->address());
        self::assertFalse((new Proc)->isAlive($hanging));
        self::assertSame([$innocent], array_values($other->pids()));
        self::assertTrue((new Proc)->isAlive($innocent));
        self::assertSame(0, $blocked->answer()[0]);
    }

    #[Test]
    public function a_stopped_worker_of_a_killed_supervisor_is_killed_even_if_not_listed(): void
    {
        $other = Running::start(['workers' => 1]);
        [$innocent] = array_values($other->pids());
        posix_kill($innocent, SIGSTOP);
        posix_kill($other->pid, SIGKILL);
        $home = TemporaryDirectory::create('collector');
        $first = Running::start(['workers' => 2], home: $home);
        $client = new Client($first->address());
        self::assertSame(202, $client->event('held')->answer()[0]);
        $stopped = array_values($first->pids());
        array_map(static fn (int $pid): bool => posix_kill($pid, SIGSTOP), $stopped);
        posix_kill($first->pid, SIGKILL);
        unlink("{$home->path}/spool/collector/status.json");

        $second = Running::start(['workers' => 1], home: $home);

        self::assertSame([false, false], array_map((new Proc)->isAlive(...), $stopped), $second->log());
        self::assertTrue((new Proc)->isAlive($innocent), 'It worked in another directory.');
        posix_kill($innocent, SIGKILL);
        self::assertSame(['held'], $second->collected());
    }

    #[Test]
    public function a_worker_that_is_stopped_or_blocked_is_killed_and_replaced(): void
    {
        [$collector, $client, $before] = [self::$stuck, self::$stuckClient, self::$stuckPids];
        self::assertNotNull($collector);
        self::assertNotNull($client);

        $collector->waitFor(
            static fn (Running $it): bool => count($it->pids()) === 2 && array_intersect($before, $it->pids()) === [],
        );

        Snapshot::assertPrinted(
            'log of the collector',
            'a worker is stuck',
            $collector->logged('/worker \d \(pid \d+\).*/'),
        );
        self::assertSame(0, $client->answer()[0]);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_worker_restarts_total{reason="watchdog"} 2',
        ));
    }

    #[Test, Group('day-1')]
    public function workers_that_never_start_are_given_up_and_so_is_the_collector(): void
    {
        $collector = self::$hopeless;
        self::assertNotNull($collector);

        self::assertSame(1, $collector->exitCode());
        Snapshot::assertPrinted(
            'log of the collector',
            'a worker never starts',
            $collector->logged('/worker 1\b.*\b3\b.*\b6\b.*/'),
        );
    }

    #[Test]
    public function a_worker_out_of_memory_is_replaced(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/hog' => Hog::class]]);
        $before = $collector->pids();

        self::assertSame(0, (new Client($collector->address()))->get('/hog')->answer()[0]);

        $collector->waitFor(static fn (Running $it): bool => $it->pids() !== [] && $it->pids() !== $before);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        Snapshot::assertPrinted(
            'log of the collector',
            'a worker ended and is started again',
            $collector->logged('/worker 1\b.*\b255\b.*/'),
        );
    }

    /** As after each start of a container: the processes get the numbers that those of the last one had. */
    #[Test]
    public function a_number_that_comes_again_counts_once(): void
    {
        $collector = Running::start(['workers' => 1]);
        $folder = "{$collector->directory}/spool/collector/metrics";
        $numbers = [$collector->pids()['worker 1'], $collector->pid, getmypid()];

        foreach ($numbers as $number) {
            file_put_contents(
                "{$folder}/{$number}-1.json",
                '{"counters":{"headroom_events_accepted_total":5},"gauges":{"headroom_workers":1}}',
            );
        }

        $collector->waitFor(static fn (): bool => glob("{$folder}/*-1.json") === []);
        [, $metrics] = Client::fetch($collector->admin(), '/metrics');
        self::assertStringContainsString("headroom_workers 1\n", $metrics);
        self::assertStringContainsString("headroom_events_accepted_total 15\n", $metrics);
        self::assertCount(1, (array) glob("{$folder}/{$collector->pid}-*.json"));
    }

    #[Test, Group('day-2')]
    public function counters_do_not_go_back_when_their_processes_die(): void
    {
        $collector = Running::start(['workers' => 2]);
        $accepted = static fn (): int => preg_match(
            '/^headroom_events_accepted_total (\d+)/m',
            Client::fetch($collector->admin(), '/metrics')[1],
            $m,
        ) === 1
            ? (int) $m[1]
            : 0;
        $traffic = (new Traffic($collector->address()))->run(
            static fn (Traffic $it): bool => count($it->acknowledged) >= 300,
        );
        $collector->waitFor(static fn (): bool => $accepted() === count($traffic->acknowledged));
        $before = $accepted();
        $seen = $collector->pids();
        posix_kill($collector->pid, SIGUSR2);
        posix_kill(array_values($seen)[0], SIGKILL);

        $collector->waitFor(static function (Running $it) use ($accepted, $before, $seen): bool {
            self::assertSame($before, $accepted());

            return ($it->status()['reloads'] ?? 0) === 1
                && is_string($it->status()['reload'] ?? null)
                && count($it->pids()) === 2
                && array_intersect($seen, $it->pids()) === [];
        });
    }
}
