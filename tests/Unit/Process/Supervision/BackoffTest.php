<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Headroom\Process\Supervision\Backoff;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class BackoffTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function the_first_restart_is_immediate_and_pauses_then_double_to_thirty_seconds(): void
    {
        self::assertSame([0, 1, 2, 4, 8, 16, 30, 30], $this->pauses(new Backoff, 8));
    }

    #[Test]
    public function a_restart_is_due_when_its_pause_is_over(): void
    {
        $backoff = new Backoff;
        self::assertTrue($backoff->isDue(0));
        $this->pauses($backoff, 3);
        $now = 7 * self::SECOND;
        self::assertSame(4, $backoff->failed($now, $now, false));

        self::assertFalse($backoff->isDue($now + 4 * self::SECOND - 1));
        self::assertTrue($backoff->isDue($now + 4 * self::SECOND));
    }

    #[Test]
    public function a_process_that_has_run_for_thirty_seconds_begins_the_series_again(): void
    {
        foreach ([30 * self::SECOND - 1 => [8, 5], 30 * self::SECOND => [0, 1]] as $life => $expected) {
            $backoff = new Backoff;
            $this->pauses($backoff, 4);

            self::assertSame(
                $expected,
                [$backoff->failed(99 * self::SECOND + $life, 99 * self::SECOND, false), $backoff->failures],
            );
        }
    }

    #[Test]
    public function it_gives_up_after_the_last_failure_until_it_is_reset(): void
    {
        $backoff = new Backoff(maxFailures: 3);
        self::assertSame([0, 1, 2, null], $this->pauses($backoff, 4));
        self::assertSame([true, false], [$backoff->hasGivenUp, $backoff->isDue(PHP_INT_MAX)]);

        $backoff->reset();
        self::assertSame([false, true, 0], [$backoff->hasGivenUp, $backoff->isDue(0), $backoff->failures]);
        self::assertSame([0, 1, 2, null], $this->pauses($backoff, 4));
    }

    #[Test]
    public function a_process_that_has_worked_restarts_forever_after_a_second_at_most(): void
    {
        $backoff = new Backoff(maxFailures: 3);

        self::assertSame([0, 1, 1, 1, 1, 1], $this->pauses($backoff, 6, hasWorked: true));
        self::assertFalse($backoff->hasGivenUp);
    }

    /** @return list<?int> of processes that end at once */
    private function pauses(Backoff $backoff, int $times, bool $hasWorked = false): array
    {
        return array_map(static fn (): ?int => $backoff->failed(0, 0, $hasWorked), range(1, $times));
    }
}
