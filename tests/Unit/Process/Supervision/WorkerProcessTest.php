<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Headroom\Process\Supervision\WorkerProcess;
use Headroom\Process\Supervision\WorkerStopReason;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WorkerProcessTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function a_member_that_keeps_dying_starts_again_after_pauses_up_to_30_seconds(): void
    {
        $member = new WorkerProcess('events');
        $now = 0;
        $pauses = [];

        for ($i = 0; $i < 7; $i++) {
            self::assertTrue($member->isWaiting($now));
            $member->started(100 + $i, $now);
            self::assertFalse($member->isWaiting($now));
            $pauses[] = $pause = $member->ended($now += self::SECOND);
            self::assertFalse($member->isWaiting($now + $pause * self::SECOND - 1));
            $now += $pause * self::SECOND;
        }

        self::assertSame([1, 2, 4, 8, 16, 30, 30], $pauses);
    }

    #[Test]
    public function a_member_that_lived_for_thirty_seconds_starts_again_at_once(): void
    {
        $member = new WorkerProcess('events');
        $member->started(100, 0);
        $member->ended(self::SECOND);
        $member->started(101, 2 * self::SECOND);

        self::assertSame(0, $member->ended(32 * self::SECOND));
        self::assertTrue($member->isWaiting(32 * self::SECOND));
    }

    #[Test]
    public function a_member_that_cannot_start_is_tried_again_after_growing_pauses(): void
    {
        $member = new WorkerProcess('events');
        $now = 100 * self::SECOND;
        $pauses = [];

        for ($i = 0; $i < 7; $i++) {
            self::assertTrue($member->isWaiting($now));
            $pauses[] = $pause = $member->notStarted($now);
            self::assertFalse($member->isWaiting($now + $pause * self::SECOND - 1));
            $now += $pause * self::SECOND;
        }

        self::assertSame([1, 2, 4, 8, 16, 30, 30], $pauses);
    }

    #[Test]
    public function a_member_that_is_done_is_not_started_again(): void
    {
        $member = new WorkerProcess('events');
        $member->started(100, 0);
        $member->ended(self::SECOND);
        $member->final = WorkerStopReason::Drained;

        self::assertFalse($member->isWaiting(60 * self::SECOND));
    }
}
