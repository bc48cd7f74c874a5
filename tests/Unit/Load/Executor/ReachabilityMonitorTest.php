<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\Executor\ReachabilityMonitor;
use Headroom\Load\Failure;
use Headroom\Load\Request;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\UnableToReach;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ReachabilityMonitorTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    /** @return iterable<string, array{int, list<Failure|int>, ?int}> virtual users, ends, and the end that is fatal */
    public static function ends(): iterable
    {
        $refused = Failure::Refused;

        yield 'ten are refused' => [2, array_fill(0, 12, $refused), 10];
        yield 'all virtual users are refused' => [20, array_fill(0, 30, $refused), 20];
        yield 'refused and closed' => [1, [...array_fill(0, 5, $refused), ...array_fill(0, 5, Failure::Reset)], 10];
        yield 'closed' => [1, array_fill(0, 10, Failure::ClosedUnanswered), 10];
        yield 'a response first' => [1, [200, ...array_fill(0, 50, $refused)], null];
        yield 'an error response first' => [1, [503, ...array_fill(0, 50, $refused)], null];
        yield 'a response in between' => [
            1, [...array_fill(0, 9, $refused), 200, ...array_fill(0, 50, $refused)], null,
        ];
        yield 'timeouts' => [1, array_fill(0, 50, Failure::TimeoutWaiting), null];
        yield 'a timeout in between' => [
            1,
            [...array_fill(0, 9, $refused), Failure::TimeoutConnecting, ...array_fill(0, 9, $refused)],
            null,
        ];
        yield 'no HTTP' => [50, [Failure::NotHttp], 1];
        yield 'no TLS' => [50, [Failure::Tls], 1];
        yield 'no HTTP after a response' => [50, [200, Failure::NotHttp], null];
    }

    /** @param list<Failure|int> $ends */
    #[Test]
    #[DataProvider('ends')]
    public function a_server_that_never_responds_ends_the_run(int $vus, array $ends, ?int $fatal): void
    {
        $monitor = new ReachabilityMonitor($vus);
        $ended = null;

        foreach ($ends as $i => $end) {
            try {
                $monitor->observe(self::exchange($end));
            } catch (UnableToReach) {
                $ended = $i + 1;

                break;
            }
        }

        self::assertSame($fatal, $ended);
    }

    /**
     * @return iterable<string, array{list<Failure|int>, int, int, bool}> ends, time, in flight, whether the run ends
     */
    public static function moments(): iterable
    {
        yield 'refused for a second' => [[Failure::Refused], self::SECOND, 0, true];
        yield 'not for a second' => [[Failure::Refused], self::SECOND - 1, 0, false];
        yield 'another may respond' => [[Failure::Refused], 9 * self::SECOND, 1, false];
        yield 'a response' => [[Failure::Refused, 200, Failure::Refused], 9 * self::SECOND, 0, false];
        yield 'nothing ended' => [[], 9 * self::SECOND, 0, false];
        yield 'closed once' => [[Failure::Reset], 9 * self::SECOND, 0, false];
        yield 'timed out last' => [[Failure::Refused, Failure::TimeoutWaiting], 9 * self::SECOND, 0, false];
    }

    /** @param list<Failure|int> $ends */
    #[Test]
    #[DataProvider('moments')]
    public function refusals_alone_end_a_slow_run_after_a_second(
        array $ends,
        int $now,
        int $inFlight,
        bool $isEnd,
    ): void {
        $monitor = new ReachabilityMonitor(500);
        array_map(static fn (Failure|int $end) => $monitor->observe(self::exchange($end)), $ends);
        $isEnded = false;

        try {
            $monitor->demandResponse($now, $inFlight);
        } catch (UnableToReach $e) {
            $isEnded = true;
            self::assertStringContainsString('http://127.0.0.1:1 ', $e->getMessage());
        }

        self::assertSame($isEnd, $isEnded);
    }

    private static function exchange(Failure|int $end): Exchange
    {
        $exchange = new Exchange;
        $exchange->prepare(EncodedRequest::of(new Request('http://127.0.0.1:1/')), null);
        $exchange->status = is_int($end) ? $end : 0;
        $exchange->failure = is_int($end) ? null : $end;
        $exchange->message = 'connecting failed';

        return $exchange;
    }
}
