<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Metrics;

use Headroom\Load\Failure;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\PartialResult;
use Headroom\Load\Metrics\Threshold;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Tests\Unit\Load\Refused;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ThresholdTest extends TestCase
{
    /** @return iterable<string, array{string, float, bool}> */
    public static function thresholds(): iterable
    {
        // 8 answers of 1 to 8 ms, 1 answer with status 500 after 9 ms, 1 timeout after 100 ms, in 2 s.
        yield 'error rate above' => ['error_rate<=19.9%', 0.2, true];
        yield 'error rate at' => ['error_rate<=20%', 0.2, false];
        yield 'error rate below' => ['error_rate<20%', 0.2, true];
        yield 'error rate as k6 names it' => ['http_req_failed:rate<0.21', 0.2, false];
        yield 'error rate without its aggregation' => ['http_req_failed < 20%', 0.2, true];
        yield 'errors' => ['errors<=1', 2.0, true];
        yield 'as many errors' => ['errors==2', 2.0, false];
        yield 'as many errors in other letters' => ['errors===3', 2.0, true];
        yield 'another number of errors' => ['errors!=2', 2.0, true];
        yield 'requests' => ['http_reqs:count>10', 10.0, true];
        yield 'rate below' => ['requests_per_second>=4.6', 4.5, true];
        yield 'rate at' => ['requests_per_second>=4.5/s', 4.5, false];
        yield 'rate as k6 names it' => ['http_reqs:rate>4.5', 4.5, true];
        yield 'rate of what succeeded' => ['succeeded_per_second>4', 4.0, true];
        yield 'median' => ['p50<=4ms', 5_000.0, true];
        yield 'median as k6 names it, in milliseconds' => ['med<5', 5_000.0, true];
        yield 'percentile as k6 writes it' => ['p(50)<5.1', 5_000.0, false];
        yield 'percentile with its metric' => ['http_req_duration: p(50) <= 5.1', 5_000.0, false];
        yield 'a timeout counts with what it took' => ['p(95) <= 0.099s', 100_000.0, true];
        yield 'parts of a percent' => ['p(99.9)<=100', 100_000.0, false];
        yield 'shortest' => ['min>=1000us', 1_000.0, false];
        yield 'longest as a percentile' => ['p(100)<100', 100_000.0, true];
        yield 'with spaces around' => [' p(50)<5.1 ', 5_000.0, false];
        yield 'all of them' => ['error_rate<100%', 0.2, false];
        yield 'longest' => ['http_req_duration:max<100ms', 100_000.0, true];
        yield 'mean' => ['avg<=14.5', 14_500.0, false];
        yield 'late' => ['late<1', 1.0, true];
        yield 'dropped' => ['dropped<=3', 3.0, false];
        yield 'dropped as k6 names it' => ['dropped_iterations:count<3', 3.0, true];
    }

    #[Test]
    #[DataProvider('thresholds')]
    public function a_threshold_is_crossed_by_the_figure_that_was_seen(string $text, float $seen, bool $isCrossed): void
    {
        $tally = new Metrics(Plan::arrivalRate(Stages::constant(1.0, 1.0)));
        $tally->started(1, 10_001);
        $tally->started(2, 10_000);
        $tally->dropped = 3;

        foreach (range(1, 8) as $millis) {
            $tally->responded(200, $millis * 1_000);
        }

        $tally->responded(500, 9_000);
        $tally->failed(Failure::TimeoutWaiting, 'late', 90_000, 10_000);
        $result = LoadResult::of(Plan::requests(10), [new PartialResult($tally, 2.0, 1.0, false)]);
        $threshold = Threshold::parse($text);

        self::assertEqualsWithDelta($seen, $threshold->value($result), 0.000_5 * $seen);
        self::assertSame($isCrossed, $threshold->isCrossed($result));
    }

    #[Test]
    public function nothing_to_tell_it_from_is_no_reason_to_pass(): void
    {
        $result = LoadResult::of(
            Plan::requests(1),
            [new PartialResult(new Metrics(Plan::requests(1)), 1.0, 0.1, true)],
        );

        self::assertNull(Threshold::parse('p(95)<1s')->value($result));
        self::assertTrue(Threshold::parse('p(95)<1s')->isCrossed($result));
        self::assertTrue(Threshold::parse('error_rate<1%')->isCrossed($result));
        self::assertFalse(Threshold::parse('errors==0')->isCrossed($result));
    }

    /** @return iterable<string, array{string}> */
    public static function impossible(): iterable
    {
        $texts = [
            '', 'p95', 'p95<', '<1%', 'p95=1s', 'p95<1%', 'p(95<1', 'p95)<1', 'p(950)<1', 'error_rate<5',
            'http_req_failed<1.5', 'error_rate<1ms',
            'errors<1%', 'speed<1', 'p95<1s or so', 'late<1ms', 'requests_per_second>1ms', 'p95<-1s', 'http_reqs>1',
            'http_reqs:p(95)<1',
            'http_req_failed:avg<1', 'errors:rate<1', 'p95<1e3', 'http_req_failed<1', 'error_rate<=1.0', 'p(101)<1',
            'p(100.5)<1',
        ];

        foreach ($texts as $text) {
            yield "'{$text}'" => [$text];
        }
    }

    #[Test]
    #[DataProvider('impossible')]
    public function a_text_that_is_not_a_threshold_is_refused(string $text): void
    {
        Refused::assert('threshold', "'{$text}'", static fn (): Threshold => Threshold::parse($text));
    }
}
