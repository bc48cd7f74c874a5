<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Delivery;

use Headroom\Spool\Delivery\Backoff;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Tests\Fault\Support\Later;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;
use RuntimeException;

final class BackoffTest extends TestCase
{
    #[Test]
    public function the_wait_is_random_below_a_ceiling_that_doubles_up_to_five_minutes(): void
    {
        $backoff = new Backoff(new Randomizer(new Mt19937(7)));

        foreach ([0 => 1, 1 => 2, 2 => 4, 8 => 256, 9 => 300, 100 => 300] as $before => $ceiling) {
            $waits = [];

            foreach (range(1, 400) as $n) {
                $trouble = $backoff->after(
                    $before === 0 ? null : new RetryState($before, 5, 6, ''),
                    new RuntimeException('down'),
                    1_000,
                );
                $waits[] = ($trouble->nextTry - 1_000) / 1_000_000;
            }

            sort($waits);
            [$least, $most] = [$waits[0], $waits[399]];
            self::assertGreaterThanOrEqual(0, $least);
            self::assertLessThanOrEqual($ceiling, $most);
            self::assertLessThan(0.1 * $ceiling, $least, 'Full jitter begins at nothing.');
            self::assertGreaterThan(0.9 * $ceiling, $most);
        }
    }

    #[Test]
    public function failures_in_a_row_are_one_trouble(): void
    {
        $backoff = new Backoff;
        $first = $backoff->after(null, new RuntimeException('one'), 1_000);
        $second = $backoff->after($first, new RuntimeException('two'), 2_000);

        self::assertSame([1, 1_000, 'one'], [$first->attempts, $first->since, $first->reason]);
        self::assertSame([2, 1_000, 'two'], [$second->attempts, $second->since, $second->reason]);
    }

    #[Test]
    public function one_that_asks_for_time_gets_it_and_never_less_than_the_pause(): void
    {
        $backoff = new Backoff(new Randomizer(new Mt19937(7)));
        $trouble = $backoff->after(null, Later::in(90), 1_000);
        self::assertSame([1_000 + 90_000_000, 90], [$trouble->nextTry, $trouble->retryAfter]);

        $waits = array_map(
            static fn (int $n): int => $backoff->after(new RetryState(20, 5, 6, ''), Later::in(2), 0)->nextTry,
            range(1, 200),
        );
        self::assertSame(2_000_000, min($waits));
        self::assertGreaterThan(250_000_000, max($waits));

        $trouble = $backoff->after(null, Later::in(PHP_INT_MAX), 0);
        self::assertSame([86_400_000_000, 86_400], [$trouble->nextTry, $trouble->retryAfter]);
    }

    #[Test]
    public function a_clock_that_was_set_back_lengthens_no_wait_by_much(): void
    {
        [$short, $long] = [new RetryState(1, 0, 10_000_000, ''), new RetryState(1, 0, 7_200_000_000, '', 7200)];

        self::assertTrue(Backoff::isTooEarly($short, -290_000_000));
        self::assertFalse(Backoff::isTooEarly($short, -290_000_001));
        self::assertTrue(Backoff::isTooEarly($long, -300_000_000));
        self::assertFalse(Backoff::isTooEarly($long, -300_000_001));
        self::assertTrue(Backoff::isTooEarly($long, 7_199_999_999));
        self::assertFalse(Backoff::isTooEarly($long, 7_200_000_000));
    }

    #[Test]
    public function a_reason_fits_the_state_file_and_is_text(): void
    {
        $reason = (new Backoff)->after(null, new RuntimeException(str_repeat("\xFFé", 4_000)), 1)->reason;

        self::assertLessThanOrEqual(600, strlen($reason));
        self::assertTrue(mb_check_encoding($reason, 'UTF-8'));
    }

    #[Test]
    public function a_reason_of_megabytes_is_cut_and_says_so(): void
    {
        $failure = new RuntimeException(str_repeat('again ', 1_000_000));
        $report = new FlushReport('events');
        $report->failure = $failure;
        $reason = (new Backoff)->after(null, $failure, 1)->reason;

        self::assertSame(600, strlen($reason));
        self::assertMatchesRegularExpression('/… \([^)]*\b6000000\b[^)]*\)\z/u', $reason);
        self::assertSame(4096, strlen((string) $report->reason()));
        self::assertMatchesRegularExpression('/… \([^)]*\b6000000\b[^)]*\)\z/u', (string) $report->reason());
    }

    #[Test]
    public function a_reason_of_control_characters_is_no_longer_in_the_state_file(): void
    {
        $reason = (new Backoff)->after(null, new RuntimeException(str_repeat("\x1B\0\x01", 400)), 1)->reason;

        self::assertLessThanOrEqual(1_202, strlen(json_encode($reason, JSON_THROW_ON_ERROR)));
        self::assertStringStartsWith('\e\x00\x01', $reason);
    }
}
