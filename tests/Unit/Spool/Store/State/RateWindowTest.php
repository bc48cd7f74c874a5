<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Store\State;

use Headroom\Spool\RateLimit;
use Headroom\Spool\Store\State\RateWindow;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class RateWindowTest extends TestCase
{
    private const SECOND = 1_000_000;

    #[Test]
    public function in_no_stretch_of_its_time_are_more_taken_than_it_allows(): void
    {
        $random = new Randomizer(new Mt19937(11));

        foreach ([[1, 1], [7, 3], [100, 60], [1000, 3600]] as [$events, $seconds]) {
            $rate = new RateLimit($events, $seconds);
            $tokens = new RateWindow;
            [$now, $taken, $most] = [500 * self::SECOND, [], 0];

            for ($step = 0; $step < 600; $step++) {
                $now += $random->getInt(0, intdiv($seconds * self::SECOND, 9));
                $number = $random->getInt(0, $tokens->available($rate, $now));
                $tokens = $tokens->take($rate, $number, $now);
                $taken[] = [$now, $number];
                $window = array_sum(array_column(
                    array_filter($taken, static fn (array $one): bool => $one[0] > $now - $seconds * self::SECOND),
                    1,
                ));
                self::assertLessThanOrEqual($events, $window);
                $most = max($most, $window, count($tokens->taken) > 14 ? 1_000_000 : 0);
            }

            self::assertSame($events, $most, 'All that it allows is used, and the record stays small.');
        }
    }

    #[Test]
    public function the_wait_is_as_long_as_it_takes_and_no_longer(): void
    {
        $rate = new RateLimit(10, 60);
        $tokens = (new RateWindow)->take($rate, 4, 100 * self::SECOND)->take($rate, 6, 130 * self::SECOND);

        self::assertSame(25 * self::SECOND, $tokens->wait($rate, 135 * self::SECOND));
        self::assertSame(
            [0, 4, 0],
            [
                $tokens->available($rate, 160 * self::SECOND - 1),
                $tokens->available($rate, 160 * self::SECOND),
                $tokens->wait($rate, 160 * self::SECOND),
            ],
        );
    }

    #[Test]
    public function a_token_handed_over_again_counts_again_and_expires_as_soon(): void
    {
        $rate = new RateLimit(10, 60);
        $tokens = (new RateWindow)->take($rate, 10, 100 * self::SECOND)->take($rate, 10, 101 * self::SECOND);

        self::assertSame(0, $tokens->available($rate, 160 * self::SECOND));
        self::assertSame(10, $tokens->available($rate, 161 * self::SECOND));
    }
}
