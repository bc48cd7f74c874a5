<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\ExecutionSegment;
use Headroom\Load\Executor\ArrivalRate;
use Headroom\Load\Stages;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ArrivalRateTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function iterations_wait_for_a_free_virtual_user_and_keep_their_due_time(): void
    {
        $rate = new ArrivalRate(Stages::constant(10.0, 1.0), 2, ExecutionSegment::whole());

        self::assertSame([0, null], [$rate->start(0), $rate->start(0)]);
        self::assertSame(self::SECOND / 10, $rate->nextStart());
        self::assertSame(
            [self::SECOND / 10, null],
            [$rate->start(self::SECOND / 2), $rate->start(self::SECOND / 2)],
        );
        self::assertSame(PHP_INT_MAX, $rate->nextStart());
        $rate->ended(self::SECOND / 2);
        self::assertSame(self::SECOND / 5, $rate->start(self::SECOND / 2));
        // Seven of ten have not started. At the end one may start late, and the others are dropped.
        $rate->ended(2 * self::SECOND);
        self::assertSame(3 * self::SECOND / 10, $rate->start(2 * self::SECOND));
        self::assertNull($rate->start(2 * self::SECOND));
        $rate->ended(2 * self::SECOND);
        self::assertNull($rate->start(2 * self::SECOND));
        self::assertSame(6, $rate->dropRemaining(2 * self::SECOND));
        self::assertNull($rate->start(9 * self::SECOND));
    }

    #[Test]
    public function an_iteration_that_is_not_due_yet_is_not_dropped(): void
    {
        $rate = new ArrivalRate(Stages::constant(10.0, 60.0), 1, ExecutionSegment::whole());
        $rate->start(0);

        self::assertSame(3, $rate->dropRemaining(self::SECOND * 3 / 10));
    }

    #[Test]
    public function processes_take_turns(): void
    {
        $due = static fn (int $index): array => array_map(
            (new ArrivalRate(Stages::constant(10.0, 1.0), 20, ExecutionSegment::of($index, 2)))->start(...),
            array_fill(0, 6, self::SECOND),
        );

        self::assertSame(
            [[0, 2, 4, 6, 8, null], [1, 3, 5, 7, 9, null]],
            array_map(
                static fn (array $times): array => array_map(
                    static fn (?int $nanos): ?int => $nanos === null ? null : intdiv($nanos, 100_000_000),
                    $times,
                ),
                [$due(0), $due(1)],
            ),
        );
    }
}
