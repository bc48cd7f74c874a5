<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Closure;
use Headroom\Load\Plan;
use Headroom\Load\Stage;
use Headroom\Load\Stages;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The times at which requests are due, and the number of virtual users at each time.
 */
final class StagesTest extends TestCase
{
    #[Test]
    public function at_a_constant_rate_requests_are_due_at_equal_distances(): void
    {
        $stages = Stages::constant(4.0, 1.5);

        self::assertSame([0.0, 0.25, 0.5, 0.75, 1.0, 1.25, null], array_map($stages->secondsUntil(...), range(0, 6)));
    }

    /** @return iterable<string, array{Stages, int}> */
    public static function rates(): iterable
    {
        yield 'growing' => [new Stages(new Stage(0.0, 100.0, 3.0)), 150];
        yield 'falling' => [new Stages(new Stage(100.0, 0.0, 3.0)), 150];
        yield 'up, level, a rest, down' => [
            new Stages(
                new Stage(10.0, 50.0, 2.0),
                new Stage(50.0, 50.0, 1.0),
                new Stage(0.0, 0.0, 5.0),
                new Stage(30.0, 1.0, 2.0),
            ),
            60 + 50 + 31,
        ];
        yield 'a part of a request' => [new Stages(new Stage(0.3, 0.3, 5.0), new Stage(0.5, 0.5, 1.0)), 2];
    }

    /**
     * Counted the slow way: how many requests the rate adds up to until then, a ten-thousandth of a second at a time.
     */
    #[Test]
    #[DataProvider('rates')]
    public function each_request_is_due_when_the_rate_has_added_up_to_it(Stages $stages, int $count): void
    {
        $sum = 0.0;
        $number = 0;

        for ($step = 0; $step < (int) ($stages->seconds() * 10_000); $step++) {
            if ($sum >= $number - 1e-6) {
                $due = $stages->secondsUntil($number);
                // Where the rate rests, the next is due when it goes on.
                if ($due !== null && $stages->at($step / 10_000) > 0.0) {
                    self::assertEqualsWithDelta($step / 10_000, $due, 0.02, "request {$number}");
                    $number++;
                }
            }

            $sum += $stages->at(($step + 0.5) / 10_000) / 10_000;
        }

        self::assertSame($count, $number);
        self::assertNotNull($stages->secondsUntil($count - 1));
        self::assertNull($stages->secondsUntil($count));
    }

    /** @return iterable<string, array{Closure(): mixed, string, string}> option, and what the message shows */
    public static function impossible(): iterable
    {
        yield 'fewer than none' => [static fn (): Stage => new Stage(-1.0, 1.0, 1.0), 'stage', "'-1'"];
        yield 'no number' => [static fn (): Stage => new Stage(1.0, NAN, 1.0), 'stage', "'NAN'"];
        yield 'no time' => [static fn (): Stage => new Stage(1.0, 1.0, 0.0), 'stage', '0.001'];
        yield 'too many users' => [
            static fn (): Plan => Plan::rampingVus(Stages::constant(10_001.0, 1.0)), 'stage', '10000',
        ];
        yield 'never a user' => [static fn (): Plan => Plan::rampingVus(Stages::constant(0.0, 1.0)), 'stage', "'0'"];
        yield 'never a request' => [static fn (): Plan => Plan::arrivalRate(Stages::constant(0.0, 1.0)), 'rate', "'0'"];
    }

    /** @param Closure(): mixed $make */
    #[Test]
    #[DataProvider('impossible')]
    public function impossible_stages_are_refused(Closure $make, string $option, string $shown): void
    {
        Refused::assert($option, $shown, $make);
    }
}
