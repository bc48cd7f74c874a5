<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\ExecutionSegment;
use Headroom\Load\Executor\RampingVus;
use Headroom\Load\Stage;
use Headroom\Load\Stages;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RampingVusTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function virtual_users_leave_after_their_iteration_when_there_are_too_many(): void
    {
        $vus = new RampingVus(new Stages(
            new Stage(2.0, 2.0, 1.0),
            new Stage(1.0, 1.0, 1.0),
            new Stage(3.0, 3.0, 1.0),
        ), 0.0, ExecutionSegment::whole());
        $started = static fn (int $now): int => count(array_filter(
            [$vus->start($now), $vus->start($now), $vus->start($now), $vus->start($now)],
            is_int(...),
        ));

        self::assertSame([2, 0], [$started(0), $started(10)]);
        $vus->ended(self::SECOND + 1);
        $vus->ended(self::SECOND + 1);
        self::assertSame(1, $started(self::SECOND + 2));
        self::assertSame(2, $started(2 * self::SECOND + 1));
        self::assertGreaterThan(2 * self::SECOND, $vus->nextStart());
        self::assertLessThan(3 * self::SECOND, $vus->nextStart());
    }

    #[Test]
    public function virtual_users_in_a_pause_count(): void
    {
        $vus = new RampingVus(Stages::constant(1.0, 9.0), 2.0, ExecutionSegment::whole());

        self::assertSame(0, $vus->start(0));
        $vus->ended(self::SECOND);
        self::assertNull($vus->start(self::SECOND));
        self::assertSame(3 * self::SECOND, $vus->start(3 * self::SECOND));
    }
}
