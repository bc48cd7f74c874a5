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
    public function a_worker_that_was_ready_and_ended_between_two_looks_has_worked(): void
    {
        $crew = $this->crew('worker 1');
        $this->look($crew);

        for ($times = 0; $times < 20; $times++) {
            $this->last()->lastWords = ['ready'];
            $this->last()->end = 'ended';
            $this->look($crew, 2);
        }

        self::assertFalse($crew->posts[0]->isBroken);
        self::assertSame(2, $crew->posts[0]->failures);
    }

    #[Test]
    public function one_that_never_gets_ready_is_given_up_after_six_starts_with_growing_pauses(): void
    {
        $crew = $this->crew('worker 1');

        for ($second = 0; $second < 100; $second++) {
            $this->look($crew);
            $this->last()->end = 'ended with exit code 3';
        }

        // The end is seen a second after the start: pauses of 0, 1, 2, 4 and 8 seconds.
        self::assertSame([0, 1, 3, 6, 11, 20], $this->starts('worker 1'));
        self::assertTrue($crew->posts[0]->isBroken);
        self::assertTrue($crew->isHopeless());
        self::assertSame(['crash' => 5], $crew->restarts);
    }

    #[Test]
    public function a_process_that_cannot_be_started_counts_like_one_that_ended(): void
    {
        $this->failing = PHP_INT_MAX;
        $crew = $this->crew('worker 1');
        $this->look($crew, 100);

        self::assertSame([0, 1, 2, 4, 8, 16], $this->tries);
        self::assertTrue($crew->isHopeless());
    }

    #[Test]
    public function one_that_has_worked_is_started_again_forever_with_a_second_between(): void
    {
        $crew = $this->crew('worker 1');

        for ($second = 0; $second < 20; $second++) {
            $this->look($crew);
            $this->last()->says = ['ready'];
            $this->last()->end = $crew->working() === 1 ? 'ended with exit code 255' : null;
        }

        self::assertSame([0, 2, 5, 8, 11, 14, 17], $this->starts('worker 1'));
        self::assertFalse($crew->posts[0]->isBroken);
    }

    #[Test]
    public function a_life_of_thirty_seconds_ends_the_count_of_failures(): void
    {
        $crew = $this->crew('worker 1');
        [$post] = $crew->posts;
        $post->failures = 5;
        $this->look($crew);

        for ($second = 0; $second < 30; $second++) {
            $this->last()->says = ['ready'];
            $this->look($crew);
        }

        $this->last()->end = 'ended with exit code 3';
        $this->look($crew);

        self::assertSame([0, 31], $this->starts('worker 1'));
        self::assertSame(1, $post->failures);
    }

    #[Test]
    public function one_that_is_not_ready_after_thirty_seconds_is_killed(): void
    {
        $crew = $this->crew('worker 1');
        $this->look($crew, 31);
        self::assertSame([], $this->children[0]->signals);

        $this->look($crew);
        self::assertSame([9], $this->children[0]->signals);
        self::assertSame([0, 31], $this->starts('worker 1'));
        self::assertSame(['watchdog' => 1], $crew->restarts);
    }

    #[Test]
    public function one_that_is_killed_and_does_not_end_is_waited_for(): void
    {
        $crew = $this->crew('worker 1');
        $this->look($crew);
        $this->children[0]->isStuck = true;
        $this->look($crew, 60);

        self::assertSame([9], $this->children[0]->signals);
        self::assertCount(1, $this->children);
    }

    #[Test]
    public function one_that_gave_no_sign_of_life_for_ten_seconds_is_killed(): void
    {
        $crew = $this->crew('worker 1', 'worker 2');
        $this->look($crew);
        $this->children[0]->says = $this->children[1]->says = ['ready'];

        for ($second = 0; $second < 11; $second++) {
            $this->children[1]->says[] = 'beat {"connections":3}';
            $this->look($crew);
        }

        self::assertSame([[], []], [$this->children[0]->signals, $this->children[1]->signals]);
        $this->look($crew);
        self::assertSame([[9], []], [$this->children[0]->signals, $this->children[1]->signals]);
        self::assertSame(['connections' => 3], $crew->posts[1]->working?->figures);
        self::assertSame(1, $crew->working());
        self::assertSame([0, 12], $this->starts('worker 1'));
    }

    #[Test]
    public function it_is_ready_when_each_worker_is_or_is_given_up_and_one_works(): void
    {
        $crew = $this->crew('worker 1', 'worker 2', 'flusher 1');
        [, $second] = $crew->posts;
        $this->look($crew);
        self::assertFalse($crew->isReady());
        $this->of('worker 1')->says = ['ready'];
        $this->look($crew);
        self::assertFalse($crew->isReady());
        $second->isBroken = true;
        self::assertTrue($crew->isReady());
        $this->of('worker 2')->says = ['ready'];
        $second->isBroken = false;
        $this->look($crew);
        self::assertTrue($crew->isReady());
    }

    /** @param list<int> $starts */
    #[Test]
    #[TestWith([2, [0, 2, 5, 9, 15, 25], true])]
    #[TestWith([3, [0, 3, 7, 11, 15, 19], false])]
    public function a_flusher_that_lives_three_seconds_is_never_given_up(int $life, array $starts, bool $isBroken): void
    {
        $crew = $this->crew('worker 1', 'flusher 1');
        $post = $crew->posts[1];

        for ($second = 0; $second < 60; $second++) {
            $this->look($crew);
            $flusher = $this->of('flusher 1');
            $flusher->end = $this->clock->second() - $flusher->second >= $life ? 'ended with exit code 1' : null;
        }

        self::assertSame($starts, array_slice($this->starts('flusher 1'), 0, 6));
        self::assertSame($isBroken, $post->isBroken);
    }

    #[Test]
    public function a_worker_that_asks_for_it_is_replaced_before_it_leaves(): void
    {
        $crew = $this->crew('worker 1');
        $this->look($crew);
        [$old] = $this->children;
        $old->says = ['ready', 'recycle requests: 50 of 50'];
        $this->look($crew, 2);
        self::assertCount(2, $this->children);
        self::assertSame([], $old->told);
        $this->children[1]->says = ['ready'];
        $this->look($crew);
        self::assertSame(['drain'], $old->told);
        self::assertSame(['requests' => 1], $crew->restarts);
        $old->end = 'ended';
        $this->look($crew, 3);
        self::assertCount(2, $this->children);
    }

    #[Test]
    public function a_worker_whose_successor_did_not_start_is_replaced_when_it_asks_again(): void
    {
        $crew = $this->crew('worker 1');
        $this->look($crew);
        $this->children[0]->says = ['ready', 'recycle requests: 50 of 50'];
        $this->look($crew, 2);
        $this->last()->end = 'ended with exit code 3';
        $this->look($crew, 3);
        self::assertSame([2, 1], [count($this->children), $crew->working()]);

        $this->children[0]->says = ['recycle requests: 60 of 50'];
        $this->look($crew);
        $this->last()->says = ['ready'];
        $this->look($crew, 2);
        self::assertSame([['drain'], 3], [$this->children[0]->told, count($this->children)]);
    }
}
