<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Closure;
use Headroom\Load\Plan;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PlanTest extends TestCase
{
    #[Test]
    public function a_plan_ends_by_requests_or_by_time_or_with_its_source(): void
    {
        self::assertSame([5, null], [Plan::requests(5)->requests, Plan::requests(5)->seconds]);
        self::assertSame([null, 2.5], [Plan::duration(2.5)->requests, Plan::duration(2.5)->seconds]);
        self::assertSame([null, null], [Plan::everything()->requests, Plan::everything()->seconds]);
    }

    /** @return iterable<string, array{Closure(): Plan, string, list<string>}> what the message shows comes last */
    public static function impossible(): iterable
    {
        yield 'no requests' => [static fn (): Plan => Plan::requests(0), 'requests', ["'0'", '1', '1000000000000']];
        yield 'no time' => [static fn (): Plan => Plan::duration(0.0), 'duration', ["'0'", '0.001', '604800']];
        yield 'not a number of seconds' => [static fn (): Plan => Plan::duration(NAN), 'duration', ["'NAN'"]];
        yield 'endless' => [static fn (): Plan => Plan::duration(INF), 'duration', ["'INF'"]];
        yield 'no users' => [
            static fn (): Plan => Plan::requests(1, concurrency: 0),
            'concurrency',
            ["'0'", '1', '10000'],
        ];
        yield 'too many users' => [
            static fn (): Plan => Plan::requests(1, concurrency: 10_001),
            'concurrency',
            ["'10001'"],
        ];
        yield 'no patience' => [
            static fn (): Plan => Plan::everything(timeout: 0.0),
            'timeout',
            ["'0'", '0.001', '3600'],
        ];
        yield 'a pause before it began' => [
            static fn (): Plan => Plan::requests(1, pause: -0.001),
            'pause',
            ["'-1'", '0', '3600000'],
        ];
        yield 'an endless pause' => [static fn (): Plan => Plan::duration(1.0, pause: INF), 'pause', ["'INF'"]];
        yield 'too much kept' => [
            static fn (): Plan => Plan::requests(1, keepBytes: 2 ** 20 + 1),
            'keep-bytes',
            ["'1048577'"],
        ];
    }

    /**
     * @param Closure(): Plan $make
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('impossible')]
    public function the_refusal_of_a_plan_names_option_value_and_limits(
        Closure $make,
        string $option,
        array $shown,
    ): void {
        foreach ($shown as $number) {
            Refused::assert($option, $number, $make);
        }
    }
}
