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
        $crew = $this->ready('worker 1', 'worker 2');
        [$first, $second] = $this->children;
        $crew->reload();
        $this->look($crew, 2);
        self::assertSame(['worker 1', 'worker 2', 'worker 1'], array_column($this->children, 'post'));
        self::assertSame([[], []], [$first->told, $second->told]);

        $this->last()->says = ['ready'];
        $this->look($crew, 2);
        self::assertSame([['drain'], []], [$first->told, $second->told]);
        // The second one's turn comes when the first has left.
        self::assertCount(3, $this->children);
        $first->end = 'ended';
        $this->look($crew);
        self::assertSame('worker 2', $this->last()->post);
        self::assertTrue($crew->isReloading());

        $this->last()->says = ['ready'];
        $this->look($crew);
        $second->end = 'ended';
        $this->look($crew);
        self::assertSame([false, 'done'], [$crew->isReloading(), $crew->reloaded]);
        self::assertSame(['reload' => 2], $crew->restarts);
        self::assertCount(4, $this->children);
    }

    #[Test]
    public function a_reload_whose_first_successor_does_not_start_leaves_the_old_ones(): void
    {
        $crew = $this->ready('worker 1', 'worker 2');
        [$first, $second] = $this->children;
        $crew->reload();
        $this->look($crew);
        $this->last()->end = 'ended with exit code 3';
        $this->look($crew, 3);

        self::assertFalse($crew->isReloading());
        self::assertNotContains($crew->reloaded, [null, 'done']);
        self::assertSame([[], []], [$first->told, $second->told]);
        self::assertCount(3, $this->children);
        self::assertSame(2, $crew->working());
    }

    #[Test]
    public function a_reload_starts_what_was_given_up(): void
    {
        $crew = $this->crew('worker 1');
        [$post] = $crew->posts;
        $post->isBroken = true;
        $post->failures = 6;
        $this->look($crew, 5);
        self::assertSame([], $this->children);

        $crew->reload();
        $this->look($crew);
        self::assertSame([5], $this->starts('worker 1'));
        self::assertSame(0, $post->failures);
    }

    #[Test]
    public function a_reload_is_not_done_before_its_flushers_are_new(): void
    {
        $crew = $this->ready('worker 1', 'flusher 1');
        [$worker, $flusher] = $this->children;
        $crew->reload();
        $this->look($crew);
        $this->last()->says = ['ready'];
        $this->look($crew);
        $worker->end = 'ended';
        $this->look($crew, 3);
        // Its successor would wait for what it holds.
        self::assertSame([[15], true], [$flusher->signals, $crew->isReloading()]);
        self::assertSame([0], $this->starts('flusher 1'));

        $flusher->end = 'ended';
        $this->look($crew, 2);
        self::assertSame([false, 'done'], [$crew->isReloading(), $crew->reloaded]);
        self::assertCount(2, $this->starts('flusher 1'));
    }

    #[Test]
    public function one_that_leaves_and_does_not_finish_in_time_is_killed(): void
    {
        $crew = $this->ready('worker 1');
        $crew->reload();
        $this->look($crew);
        $this->last()->says = ['ready'];
        $this->look($crew);

        // 7 s, the time of a drain here, and the look at which it was told.
        for ($second = 0; $second < 7; $second++) {
            $this->last()->says = ['beat {}'];
            $this->look($crew);
        }

        self::assertSame([], $this->children[0]->signals);
        $this->look($crew);
        self::assertSame([9], $this->children[0]->signals);
        self::assertSame('done', $crew->reloaded);
        // Only the replacement itself is counted.
        self::assertSame(['reload' => 1], $crew->restarts);
    }

    #[Test]
    public function at_the_end_workers_finish_first_and_flushers_deliver_what_they_left(): void
    {
        $crew = $this->ready('worker 1', 'worker 2', 'flusher 1');
        [$first, $second, $flusher] = $this->children;
        $crew->end(quickly: false);
        $first->end = 'ended';
        $this->look($crew);
        $crew->endFlushers();
        self::assertSame([['drain last'], ['drain last'], []], [$first->told, $second->told, $flusher->signals]);

        $second->end = 'ended';
        $this->look($crew);
        $crew->endFlushers();
        self::assertSame([15], $flusher->signals);
        self::assertFalse($crew->isGone());
        $flusher->end = 'ended';
        $this->look($crew, 5);
        self::assertTrue($crew->isGone());
        self::assertCount(3, $this->children);
    }

    #[Test]
    public function a_quick_end_gives_workers_two_seconds_and_flushers_forty(): void
    {
        $crew = $this->ready('worker 1', 'flusher 1');
        [$worker, $flusher] = $this->children;
        $crew->end(quickly: true);
        self::assertSame([['stop'], [15]], [$worker->told, $flusher->signals]);
        $this->look($crew, 3);
        self::assertSame([], $worker->signals);
        $this->look($crew);
        self::assertSame([9], $worker->signals);

        $this->look($crew, 37);
        self::assertSame([15], $flusher->signals);
        $this->look($crew);
        self::assertSame([15, 9], $flusher->signals);
        self::assertTrue($crew->isGone());
        self::assertCount(2, $this->children);
    }

    #[Test]
    public function a_successor_that_gets_ready_during_the_end_is_told_to_end(): void
    {
        $crew = $this->ready('worker 1');
        $crew->reload();
        $this->look($crew);
        $crew->end(quickly: false);
        $this->last()->says = ['ready'];
        $this->children[0]->end = 'ended';
        $this->look($crew);

        self::assertSame(['drain last', 'drain last'], $this->last()->told);
        $this->last()->end = 'ended';
        $this->look($crew);
        self::assertTrue($crew->isGone());
        self::assertCount(2, $this->children);
    }

    #[Test]
    public function kill_ends_every_one_at_once(): void
    {
        $crew = $this->ready('worker 1', 'flusher 1');
        $crew->end(quickly: false);
        $crew->kill();
        $this->look($crew);

        self::assertSame([[9], [9]], array_column($this->children, 'signals'));
        self::assertTrue($crew->isGone());
    }
}
