<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Closure;
use Headroom\Load\Executor\ArrivalRate;
use Headroom\Load\Executor\ConstantVus;
use Headroom\Load\Plan;
use Headroom\Load\Stage;
use Headroom\Load\Stages;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * When requests are due, and which users may begin, on times that the test makes.
 */
final class StagesTest extends TestCase
{
    private const SECOND = 1_000_000_000;

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

    #[Test]
    public function arrivals_wait_while_too_many_are_in_flight_and_keep_their_due_time(): void
    {
        $arrivals = new ArrivalRate(Stages::constant(10.0, 1.0), 2);

        self::assertSame([0, null], [$arrivals->due(0), $arrivals->due(0)]);
        self::assertSame(self::SECOND / 10, $arrivals->next());
        self::assertSame(
            [self::SECOND / 10, null],
            [$arrivals->due(self::SECOND / 2), $arrivals->due(self::SECOND / 2)],
        );
        self::assertSame(PHP_INT_MAX, $arrivals->next());
        $arrivals->ended(self::SECOND / 2);
        self::assertSame(self::SECOND / 5, $arrivals->due(self::SECOND / 2));
        // Seven of ten have not begun; at the end one may begin late, the others are dropped.
        $arrivals->ended(2 * self::SECOND);
        self::assertSame(3 * self::SECOND / 10, $arrivals->due(2 * self::SECOND));
        self::assertNull($arrivals->due(2 * self::SECOND));
        self::assertSame(6, $arrivals->drop(2 * self::SECOND));
        self::assertNull($arrivals->due(9 * self::SECOND));
    }

    #[Test]
    public function a_request_that_is_not_due_yet_is_not_dropped(): void
    {
        $arrivals = new ArrivalRate(Stages::constant(10.0, 60.0), 1);
        $arrivals->due(0);

        self::assertSame(3, $arrivals->drop(self::SECOND * 3 / 10));
    }

    #[Test]
    public function users_leave_after_their_answer_when_there_are_to_be_fewer(): void
    {
        $users = new ConstantVus(Plan::users(new Stages(
            new Stage(2.0, 2.0, 1.0),
            new Stage(1.0, 1.0, 1.0),
            new Stage(3.0, 3.0, 1.0),
        )));
        $begin = static fn (int $now): int => count(array_filter(
            [$users->due($now), $users->due($now), $users->due($now), $users->due($now)],
            is_int(...),
        ));

        self::assertSame([2, 0], [$begin(0), $begin(10)]);
        $users->ended(self::SECOND + 1);
        $users->ended(self::SECOND + 1);
        self::assertSame(1, $begin(self::SECOND + 2));
        self::assertSame(2, $begin(2 * self::SECOND + 1));
        self::assertGreaterThan(2 * self::SECOND, $users->next());
        self::assertLessThan(3 * self::SECOND, $users->next());
    }

    #[Test]
    public function users_that_pause_are_still_users(): void
    {
        $users = new ConstantVus(Plan::users(Stages::constant(1.0, 9.0), pause: 2.0));

        self::assertSame(0, $users->due(0));
        $users->ended(self::SECOND);
        self::assertNull($users->due(self::SECOND));
        self::assertSame(3 * self::SECOND, $users->due(3 * self::SECOND));
    }

    /** @return iterable<string, array{Closure(): mixed, string, string}> option, and what the message shows */
    public static function impossible(): iterable
    {
        yield 'fewer than none' => [static fn (): Stage => new Stage(-1.0, 1.0, 1.0), 'ramp', "'-1'"];
        yield 'no number' => [static fn (): Stage => new Stage(1.0, NAN, 1.0), 'ramp', "'NAN'"];
        yield 'no time' => [static fn (): Stage => new Stage(1.0, 1.0, 0.0), 'ramp', '0.001'];
        yield 'too many users' => [static fn (): Plan => Plan::users(Stages::constant(10_001.0, 1.0)), 'ramp', '10000'];
        yield 'never a user' => [static fn (): Plan => Plan::users(Stages::constant(0.0, 1.0)), 'ramp', "'0'"];
        yield 'never a request' => [static fn (): Plan => Plan::rate(Stages::constant(0.0, 1.0)), 'rate', "'0'"];
    }

    /** @param Closure(): mixed $make */
    #[Test]
    #[DataProvider('impossible')]
    public function impossible_stages_are_refused(Closure $make, string $option, string $shown): void
    {
        Refused::assert($option, $shown, $make);
    }
}
