<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use PHPUnit\Framework\Attributes\Test;

/**
 * Reloads and the end of a collector's supervisor, by a clock that a test moves.
 */
final class WorkerPoolEndsTest extends WorkerPoolTestCase
{
    #[Test]
    public function a_reload_replaces_one_after_the_other_and_each_successor_is_ready_first(): void
    {
        $pool = $this->ready('worker 1', 'worker 2');
        [$first, $second] = $this->workers;
        $pool->reload();
        $this->tick($pool, 2);
        self::assertSame(['worker 1', 'worker 2', 'worker 1'], array_column($this->workers, 'slot'));
        self::assertSame([[], []], [$first->received(), $second->received()]);

        $this->last()->send('ready');
        $this->tick($pool, 2);
        self::assertSame([['drain'], []], [$first->received(), $second->received()]);
        // The second one's turn comes when the first has left.
        self::assertCount(3, $this->workers);
        $first->exit = 0;
        $this->tick($pool);
        self::assertSame('worker 2', $this->last()->slot);
        self::assertTrue($pool->isReloading());

        $this->last()->send('ready');
        $this->tick($pool);
        $second->exit = 0;
        $this->tick($pool);
        self::assertSame([false, 'done'], [$pool->isReloading(), $pool->reloadResult]);
        self::assertSame(['reload' => 2], $pool->restarts());
        self::assertCount(4, $this->workers);
    }

    #[Test]
    public function a_reload_whose_first_successor_does_not_start_leaves_the_old_ones(): void
    {
        $pool = $this->ready('worker 1', 'worker 2');
        [$first, $second] = $this->workers;
        $pool->reload();
        $this->tick($pool);
        $this->last()->exit = 3;
        $this->tick($pool, 3);

        self::assertFalse($pool->isReloading());
        self::assertNotContains($pool->reloadResult, [null, 'done']);
        self::assertSame([[], []], [$first->received(), $second->received()]);
        self::assertCount(3, $this->workers);
        self::assertSame(2, $pool->activeWorkers());
    }

    #[Test]
    public function a_reload_starts_what_was_given_up(): void
    {
        $pool = $this->pool('worker 1');
        [$slot] = $pool->slots();
        $slot->backoff->hasGivenUp = true;
        $slot->backoff->failures = 6;
        $this->tick($pool, 5);
        self::assertSame([], $this->workers);

        $pool->reload();
        $this->tick($pool);
        self::assertSame([5], $this->starts('worker 1'));
        self::assertSame(0, $slot->backoff->failures);
    }

    #[Test]
    public function a_reload_is_not_done_before_its_flushers_are_new(): void
    {
        $pool = $this->ready('worker 1', 'flusher 1');
        [$worker, $flusher] = $this->workers;
        $pool->reload();
        $this->tick($pool);
        $this->last()->send('ready');
        $this->tick($pool);
        $worker->exit = 0;
        $this->tick($pool, 3);
        // Its successor would wait for what it holds.
        self::assertSame([[15], true], [$flusher->signals, $pool->isReloading()]);
        self::assertSame([0], $this->starts('flusher 1'));

        $flusher->exit = 0;
        $this->tick($pool, 2);
        self::assertSame([false, 'done'], [$pool->isReloading(), $pool->reloadResult]);
        self::assertCount(2, $this->starts('flusher 1'));
    }

    #[Test]
    public function one_that_leaves_and_does_not_finish_in_time_is_killed(): void
    {
        $pool = $this->ready('worker 1');
        $pool->reload();
        $this->tick($pool);
        $this->last()->send('ready');
        $this->tick($pool);

        // The grace period of 7 s, and the tick at which it began.
        for ($second = 0; $second < 7; $second++) {
            $this->last()->send('heartbeat', []);
            $this->tick($pool);
        }

        self::assertSame([], $this->workers[0]->signals);
        $this->tick($pool);
        self::assertSame([9], $this->workers[0]->signals);
        self::assertSame('done', $pool->reloadResult);
        // Only the replacement itself is counted.
        self::assertSame(['reload' => 1], $pool->restarts());
    }

    #[Test]
    public function the_end_gives_a_worker_that_finishes_already_no_more_time(): void
    {
        $pool = $this->ready('worker 1');
        $pool->reload();
        $this->tick($pool);
        $this->last()->send('ready');
        $this->tick($pool, 6);
        $pool->stop(isFast: false);
        $this->tick($pool, 2);
        self::assertSame([[], []], array_column($this->workers, 'signals'));
        $this->tick($pool);
        self::assertSame([[9], []], array_column($this->workers, 'signals'));

        // The successor has the seven seconds of its own, unless the end is fast.
        $pool->stop(isFast: true);
        $this->tick($pool, 3);
        self::assertSame([[9], [9]], array_column($this->workers, 'signals'));
    }

    #[Test]
    public function at_the_end_workers_finish_first_and_flushers_deliver_what_they_left(): void
    {
        $pool = $this->ready('worker 1', 'worker 2', 'flusher 1');
        [$first, $second, $flusher] = $this->workers;
        $pool->stop(isFast: false);
        $first->exit = 0;
        $this->tick($pool);
        self::assertSame(
            [['drain_last'], ['drain_last'], []],
            [$first->received(), $second->received(), $flusher->signals],
        );

        $second->exit = 0;
        $this->tick($pool);
        self::assertSame([15], $flusher->signals);
        self::assertFalse($pool->isEmpty());
        $flusher->exit = 0;
        $this->tick($pool, 5);
        self::assertTrue($pool->isEmpty());
        self::assertCount(3, $this->workers);
    }

    #[Test]
    public function a_quick_end_gives_workers_two_seconds_and_flushers_forty(): void
    {
        $pool = $this->ready('worker 1', 'flusher 1');
        [$worker, $flusher] = $this->workers;
        $pool->stop(isFast: true);
        self::assertSame([['stop'], [15]], [$worker->received(), $flusher->signals]);
        $this->tick($pool, 3);
        self::assertSame([], $worker->signals);
        $this->tick($pool);
        self::assertSame([9], $worker->signals);

        $this->tick($pool, 37);
        self::assertSame([15], $flusher->signals);
        $this->tick($pool);
        self::assertSame([15, 9], $flusher->signals);
        self::assertTrue($pool->isEmpty());
        self::assertCount(2, $this->workers);
    }

    #[Test]
    public function a_successor_that_gets_ready_during_the_end_is_told_to_end(): void
    {
        $pool = $this->ready('worker 1');
        $pool->reload();
        $this->tick($pool);
        $pool->stop(isFast: false);
        $this->last()->send('ready');
        $this->workers[0]->exit = 0;
        $this->tick($pool);

        self::assertSame(['drain_last'], $this->last()->received());
        $this->last()->exit = 0;
        $this->tick($pool);
        self::assertTrue($pool->isEmpty());
        self::assertCount(2, $this->workers);
    }

    #[Test]
    public function kill_ends_every_one_at_once(): void
    {
        $pool = $this->ready('worker 1', 'flusher 1');
        $pool->stop(isFast: false);
        $pool->kill();
        $this->tick($pool);

        self::assertSame([[9], [9]], array_column($this->workers, 'signals'));
        self::assertTrue($pool->isEmpty());
    }
}
