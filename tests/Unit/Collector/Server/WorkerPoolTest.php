<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Starts, restarts and the watchdog of a collector's supervisor, by a clock that a test moves.
 */
final class WorkerPoolTest extends WorkerPoolTestCase
{
    /** A client that sends such a request to each new worker must not have the worker given up. */
    #[Test]
    public function a_worker_that_was_ready_and_ended_between_two_ticks_has_worked(): void
    {
        $pool = $this->pool('worker 1');
        $this->tick($pool);

        for ($times = 0; $times < 20; $times++) {
            $this->last()->lastMessages = ['ready'];
            $this->last()->exit = 0;
            $this->tick($pool, 2);
        }

        self::assertFalse($pool->slots()[0]->backoff->hasGivenUp);
        self::assertSame(2, $pool->slots()[0]->backoff->failures);
    }

    #[Test]
    public function one_that_never_gets_ready_is_given_up_after_six_starts_with_growing_pauses(): void
    {
        $pool = $this->pool('worker 1');

        for ($second = 0; $second < 100; $second++) {
            $this->tick($pool);
            $this->last()->exit = 3;
        }

        // The end is seen a second after the start: pauses of 0, 1, 2, 4 and 8 seconds.
        self::assertSame([0, 1, 3, 6, 11, 20], $this->starts('worker 1'));
        self::assertTrue($pool->slots()[0]->backoff->hasGivenUp);
        self::assertTrue($pool->hasGivenUp());
        self::assertSame(['crash' => 5], $pool->restarts());
    }

    #[Test]
    public function a_process_that_cannot_be_started_counts_like_one_that_ended(): void
    {
        $this->failing = PHP_INT_MAX;
        $pool = $this->pool('worker 1');
        $this->tick($pool, 100);

        self::assertSame([0, 1, 2, 4, 8, 16], $this->tries);
        self::assertTrue($pool->hasGivenUp());
    }

    #[Test]
    public function one_that_has_worked_is_started_again_forever_with_a_second_between(): void
    {
        $pool = $this->pool('worker 1');

        for ($second = 0; $second < 20; $second++) {
            $this->tick($pool);
            $this->last()->send('ready');
            $this->last()->exit = $pool->activeWorkers() === 1 ? 255 : null;
        }

        self::assertSame([0, 2, 5, 8, 11, 14, 17], $this->starts('worker 1'));
        self::assertFalse($pool->slots()[0]->backoff->hasGivenUp);
    }

    #[Test]
    public function a_life_of_thirty_seconds_ends_the_count_of_failures(): void
    {
        $pool = $this->pool('worker 1');
        [$slot] = $pool->slots();
        $slot->backoff->failures = 5;
        $this->tick($pool);

        for ($second = 0; $second < 30; $second++) {
            $this->last()->send('ready');
            $this->tick($pool);
        }

        $this->last()->exit = 3;
        $this->tick($pool);

        self::assertSame([0, 31], $this->starts('worker 1'));
        self::assertSame(1, $slot->backoff->failures);
    }

    #[Test]
    public function one_that_is_not_ready_after_thirty_seconds_is_killed(): void
    {
        $pool = $this->pool('worker 1');
        $this->tick($pool, 31);
        self::assertSame([], $this->workers[0]->signals);

        $this->tick($pool);
        self::assertSame([9], $this->workers[0]->signals);
        self::assertSame([0, 31], $this->starts('worker 1'));
        self::assertSame(['watchdog' => 1], $pool->restarts());
    }

    #[Test]
    public function one_that_is_killed_and_does_not_end_is_waited_for(): void
    {
        $pool = $this->pool('worker 1');
        $this->tick($pool);
        $this->workers[0]->isStuck = true;
        $this->tick($pool, 60);

        self::assertSame([9], $this->workers[0]->signals);
        self::assertCount(1, $this->workers);
    }

    #[Test]
    public function one_that_gave_no_sign_of_life_for_ten_seconds_is_killed(): void
    {
        $pool = $this->pool('worker 1', 'worker 2');
        $this->tick($pool);
        $this->workers[0]->send('ready');
        $this->workers[1]->send('ready');

        for ($second = 0; $second < 11; $second++) {
            $this->workers[1]->send('heartbeat', ['connections' => 3]);
            $this->tick($pool);
        }

        self::assertSame([[], []], [$this->workers[0]->signals, $this->workers[1]->signals]);
        $this->tick($pool);
        self::assertSame([[9], []], [$this->workers[0]->signals, $this->workers[1]->signals]);
        self::assertSame(['connections' => 3], $pool->slots()[1]->current?->figures);
        self::assertSame(1, $pool->activeWorkers());
        self::assertSame([0, 12], $this->starts('worker 1'));
    }

    #[Test]
    public function it_is_ready_when_each_worker_is_or_is_given_up_and_one_works(): void
    {
        $pool = $this->pool('worker 1', 'worker 2', 'flusher 1');
        [, $second] = $pool->slots();
        $this->tick($pool);
        self::assertFalse($pool->isReady());
        $this->of('worker 1')->send('ready');
        $this->tick($pool);
        self::assertFalse($pool->isReady());
        $second->backoff->hasGivenUp = true;
        self::assertTrue($pool->isReady());
        $this->of('worker 2')->send('ready');
        $second->backoff->hasGivenUp = false;
        $this->tick($pool);
        self::assertTrue($pool->isReady());
    }

    /** @param list<int> $starts */
    #[Test]
    #[TestWith([2, [0, 2, 5, 9, 15, 25], true])]
    #[TestWith([3, [0, 3, 7, 11, 15, 19], false])]
    public function a_flusher_that_lives_three_seconds_is_never_given_up(int $life, array $starts, bool $isBroken): void
    {
        $pool = $this->pool('worker 1', 'flusher 1');
        $slot = $pool->slots()[1];

        for ($second = 0; $second < 60; $second++) {
            $this->tick($pool);
            $flusher = $this->of('flusher 1');
            $flusher->exit = $this->clock->second() - $flusher->second >= $life ? 1 : null;
        }

        self::assertSame($starts, array_slice($this->starts('flusher 1'), 0, 6));
        self::assertSame($isBroken, $slot->backoff->hasGivenUp);
    }

    #[Test]
    public function a_worker_that_asks_for_it_is_replaced_before_it_leaves(): void
    {
        $pool = $this->pool('worker 1');
        $this->tick($pool);
        [$old] = $this->workers;
        $old->send('ready');
        $old->send('recycle', 'requests: 50 of 50');
        $this->tick($pool, 2);
        self::assertCount(2, $this->workers);
        self::assertSame([], $old->received());
        $this->workers[1]->send('ready');
        $this->tick($pool);
        self::assertSame(['drain'], $old->received());
        self::assertSame(['requests' => 1], $pool->restarts());
        $old->exit = 0;
        $this->tick($pool, 3);
        self::assertCount(2, $this->workers);
    }

    #[Test]
    public function a_worker_whose_successor_did_not_start_is_replaced_when_it_asks_again(): void
    {
        $pool = $this->pool('worker 1');
        $this->tick($pool);
        $this->workers[0]->send('ready');
        $this->workers[0]->send('recycle', 'requests: 50 of 50');
        $this->tick($pool, 2);
        $this->last()->exit = 3;
        $this->tick($pool, 3);
        self::assertSame([2, 1], [count($this->workers), $pool->activeWorkers()]);

        $this->workers[0]->send('recycle', 'requests: 60 of 50');
        $this->tick($pool);
        $this->last()->send('ready');
        $this->tick($pool, 2);
        self::assertSame([['drain'], 3], [$this->workers[0]->received(), count($this->workers)]);
    }
}
