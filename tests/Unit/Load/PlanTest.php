<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Closure;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Plan;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PlanTest extends TestCase
{
    #[Test]
    public function a_plan_ends_by_samples_or_by_time_or_with_its_source(): void
    {
        self::assertSame([5, null], [Plan::samples(5)->samples, Plan::samples(5)->seconds]);
        self::assertSame([null, 2.5], [Plan::duration(2.5)->samples, Plan::duration(2.5)->seconds]);
        self::assertSame([null, null], [Plan::everything()->samples, Plan::everything()->seconds]);
    }

    /** @return iterable<string, array{Closure(): Plan, string, string}> */
    public static function impossible(): iterable
    {
        yield 'no samples' => [static fn (): Plan => Plan::samples(0), 'samples', "Load option samples is '0'. It must be a whole number from 1 to 1000000000000."];
        yield 'no time' => [static fn (): Plan => Plan::duration(0.0), 'duration', "Load option duration is '0'. It must be a number of seconds from 0.001 to 604800."];
        yield 'not a number of seconds' => [static fn (): Plan => Plan::duration(NAN), 'duration', "Load option duration is 'NAN'."];
        yield 'endless' => [static fn (): Plan => Plan::duration(INF), 'duration', "Load option duration is 'INF'."];
        yield 'no users' => [static fn (): Plan => Plan::samples(1, concurrency: 0), 'concurrency', "Load option concurrency is '0'. It must be a whole number from 1 to 10000."];
        yield 'too many users' => [static fn (): Plan => Plan::samples(1, concurrency: 10_001), 'concurrency', "Load option concurrency is '10001'."];
        yield 'no patience' => [static fn (): Plan => Plan::everything(timeout: 0.0), 'timeout', "Load option timeout is '0'. It must be a number of seconds from 0.001 to 3600."];
        yield 'no status' => [static fn (): Plan => Plan::samples(1, failFrom: 99), 'fail-from', "Load option fail-from is '99'. It must be a whole number from 100 to 600."];
        yield 'a pause before it began' => [static fn (): Plan => Plan::samples(1, pause: -0.001), 'pause', "Load option pause is '-1'. It must be a number of milliseconds from 0 to 3600000."];
        yield 'an endless pause' => [static fn (): Plan => Plan::duration(1.0, pause: INF), 'pause', "Load option pause is 'INF'."];
        yield 'too much kept' => [static fn (): Plan => Plan::samples(1, keepBytes: 2 ** 20 + 1), 'keep-bytes', "Load option keep-bytes is '1048577'."];
    }

    /** @param Closure(): Plan $make */
    #[Test]
    #[DataProvider('impossible')]
    public function an_impossible_plan_names_option_value_and_what_is_allowed(Closure $make, string $option, string $message): void
    {
        try {
            $make();
            self::fail('The plan was accepted.');
        } catch (InvalidPlan $e) {
            self::assertSame($option, $e->option);
            self::assertStringContainsString($message, $e->getMessage());
        }
    }
}
