<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\ExecutionSegment;
use Headroom\Load\Executor\ConstantVus;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ConstantVusTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function a_virtual_user_starts_again_when_its_iteration_has_ended(): void
    {
        $vus = new ConstantVus(2, 0.0, ExecutionSegment::whole());

        self::assertSame([0, 0, null], [$vus->start(0), $vus->start(0), $vus->start(0)]);
        self::assertSame(PHP_INT_MAX, $vus->nextStart());
        $vus->ended(5);
        self::assertSame(0, $vus->nextStart());
        self::assertSame([7, null], [$vus->start(7), $vus->start(7)]);
    }

    #[Test]
    public function virtual_users_with_a_pause_start_evenly_over_the_first_one(): void
    {
        $vus = new ConstantVus(4, 2.0, ExecutionSegment::of(1, 2));

        self::assertSame(self::SECOND / 2, $vus->nextStart());
        self::assertNull($vus->start(self::SECOND / 2 - 1));
        self::assertSame(self::SECOND / 2, $vus->start(self::SECOND / 2));
        self::assertSame(3 * self::SECOND / 2, $vus->nextStart());
        $vus->ended(self::SECOND);
        self::assertSame(2 * self::SECOND, $vus->start(2 * self::SECOND));
        self::assertSame(3 * self::SECOND, $vus->nextStart());
    }
}
