<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Blocker;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Ender;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Hello;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Support\Traffic;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class ReloadTest extends TestCase
{
    #[Test]
    public function it_is_not_done_before_the_flushers_are_new_as_well(): void
    {
        $collector = Running::start(['workers' => 1, 'flushers' => 1]);
        $collector->waitFor(static fn (Running $it): bool => isset($it->pids('flusher')['flusher 1']));
        $old = $collector->pids('flusher')['flusher 1'];
        $worker = $collector->pids()['worker 1'];
        posix_kill($old, SIGSTOP);
        posix_kill($collector->pid, SIGHUP);
        $collector->waitFor(static fn (
            Running $it,
        ): bool => ($it->pids()['worker 1'] ?? $worker) !== $worker && $it->pids('worker', 'finishes') === []);
        $seen = $collector->status();
        $collector->waitFor(static fn (Running $it): bool => $it->status() !== $seen);
        self::assertSame(
            ['reloading', null],
            [$collector->status()['state'], $collector->status()['reload']],
            $collector->log(),
        );

        posix_kill($old, SIGCONT);
        $collector->waitFor(static fn (Running $it): bool => $it->status()['reload'] === 'done');
        self::assertNotSame($old, $collector->pids('flusher')['flusher 1']);
    }

    #[Test, Group('day-1')]
    public function reloads_under_load_fail_no_request_and_lose_no_event(): void
    {
        $wanted = max(3, (int) getenv('HEADROOM_RELOADS'));
        $collector = Running::start(['timeouts' => ['drain_idle' => 1]]);
        $seen = $collector->pids();
        $reloads = 0;
        posix_kill($collector->pid, SIGUSR2);

        $traffic = (new Traffic($collector->address()))->run(static function () use (
            $collector,
            $wanted,
            &$reloads,
        ): bool {
            $status = $collector->status();

            if (($status['reloads'] ?? 0) === $reloads + 1 && ($status['reload'] ?? null) !== null) {
                self::assertSame('done', $status['reload'], $collector->log());

                if (++$reloads < $wanted) {
                    posix_kill($collector->pid, SIGUSR2);
                }
            }

            return $reloads === $wanted;
        });

        self::assertSame([], $traffic->failures, $collector->log());
        self::assertSame([], array_intersect($seen, $collector->pids()), 'every worker is a new one');
        self::assertGreaterThan(100, count($traffic->acknowledged));
        self::assertSame('', $traffic->differsFrom($collector->collected()));
    }

    #[Test]
    public function new_processes_have_the_configuration_that_is_there_then(): void
    {
        $collector = Running::start(['workers' => 1]);
        self::assertSame(404, Client::fetch($collector->address(), '/hooks')[0]);

        Running::configure($collector->directory, ['workers' => 1, 'handlers' => ['/hooks' => Hello::class]]);
        [$exit, $output] = $collector->command('collect:reload');

        self::assertSame(0, $exit, $output.$collector->log());
        Snapshot::assertPrinted('collect:reload', 'done', $output);
        self::assertSame([200, 'hello /hooks'], Client::fetch($collector->address(), '/hooks'));
    }

    #[Test]
    public function new_code_that_does_not_start_leaves_the_old_processes_at_work(): void
    {
        $collector = Running::start();
        $before = $collector->pids();
        Running::configure($collector->directory, ['handlers' => ['/hooks' => Ender::class]]);

        [$exit, $output] = $collector->command('collect:reload');

        self::assertSame(1, $exit);
        Snapshot::assertPrinted('collect:reload', 'a new process does not start', $output);
        self::assertSame($before, $collector->pids());
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
    }

    #[Test]
    public function a_kept_connection_gets_a_last_answer_that_says_close(): void
    {
        $collector = Running::start(['workers' => 1, 'timeouts' => ['drain_idle' => 20]]);
        $client = new Client($collector->address());
        self::assertSame(202, $client->event('a')->answer()[0]);

        posix_kill($collector->pid, SIGHUP);
        $collector->waitFor(static fn (Running $it): bool => $it->pids('worker', 'finishes') !== []);
        [$status, $headers] = $client->event('b')->answer();

        self::assertSame(202, $status);
        self::assertStringContainsString('Connection: close', $headers);
        self::assertTrue($client->isClosed());
        $collector->waitFor(static fn (Running $it): bool => $it->status()['reload'] === 'done');
    }

    #[Test]
    public function a_request_that_has_begun_is_finished_by_the_worker_that_leaves(): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = new Client($collector->address());
        $client->send(
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect:"
                ." 100-continue\r\n\r\n",
        );
        self::assertSame(100, $client->answer()[0]);
        posix_kill($collector->pid, SIGUSR2);
        $collector->waitFor(static fn (Running $it): bool => $it->pids('worker', 'finishes') !== []);

        self::assertSame(202, $client->send('{"type":"t"}')->answer()[0]);
    }

    #[Test]
    public function a_worker_that_does_not_finish_within_the_deadline_is_killed(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'timeouts' => ['drain' => 1],
            'handlers' => ['/stuck' => Blocker::class],
        ]);
        $client = (new Client($collector->address()))->get('/stuck');
        $collector->waitForLog("blocks\n");
        posix_kill($collector->pid, SIGUSR2);

        Snapshot::assertPrinted(
            'log of the collector',
            'a worker does not finish in time',
            $collector->logged('/worker 1 \(pid \d+\).*/'),
        );
        $collector->waitFor(static fn (Running $it): bool => $it->status()['reload'] === 'done');
        self::assertSame(0, $client->answer()[0]);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
    }

    #[Test, Group('day-2')]
    public function a_worker_that_has_served_its_share_is_replaced_without_a_refusal(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'recycle' => ['requests' => 50],
            'timeouts' => ['drain_idle' => 1],
        ]);
        $first = $collector->pids();

        $traffic = (new Traffic($collector->address()))->run(static fn (
            Traffic $it,
        ): bool => $collector->pids() !== [] && $collector->pids() !== $first && count($it->acknowledged) > 200);

        self::assertSame([], $traffic->failures);
        self::assertSame(['requests'], array_keys((array) $collector->status()['restarts']));
        self::assertCount(count($traffic->acknowledged), $collector->collected());
    }

    /** The message to drain arrives with the assignment then, and the event loop does not see it. */
    #[Test]
    public function a_stop_before_a_worker_is_ready_ends_it(): void
    {
        $collector = Running::start(['workers' => 1], isReady: false);
        $collector->waitFor(static fn (Running $it): bool => $it->pids(state: 'starts') !== []);
        [$worker] = array_values($collector->pids(state: 'starts'));
        posix_kill($worker, SIGSTOP);
        posix_kill($collector->pid, SIGTERM);
        $collector->waitForLog('stopping');
        posix_kill($worker, SIGCONT);

        self::assertSame(0, $collector->exitCode(20), $collector->log());
        self::assertStringNotContainsString('killed', $collector->log());
    }

    /** When it asks again is in tests/Unit/Collector/Server/RecycleRequestTest.php. */
    #[Test]
    public function a_worker_whose_successor_does_not_start_goes_on(): void
    {
        $settings = ['workers' => 1, 'recycle' => ['requests' => 5], 'timeouts' => ['drain_idle' => 1]];
        $collector = Running::start($settings);
        $first = $collector->pids();
        Running::configure($collector->directory, [...$settings, 'handlers' => ['/hooks' => Ender::class]]);

        foreach (range(1, 8) as $number) {
            self::assertSame(202, (new Client($collector->address()))->event("e{$number}")->answer()[0]);
        }

        $collector->logged('/successor of worker 1\b.*\b3\b/');
        self::assertSame($first, $collector->pids());
        self::assertSame(202, (new Client($collector->address()))->event('after')->answer()[0]);
    }
}
