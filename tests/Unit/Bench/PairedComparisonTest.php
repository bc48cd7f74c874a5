<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench;

use Headroom\Bench\PairedComparison;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class PairedComparisonTest extends TestCase
{
    #[Test]
    public function a_slow_round_slows_both_of_its_sides(): void
    {
        $paired = PairedComparison::of([100, 300, 100, 1_000, 200], [85, 255, 85, 850, 170]);

        self::assertEqualsWithDelta(0.85, $paired->ratio(), 1e-9);
        self::assertEqualsWithDelta(-0.15, $paired->change(), 1e-9);
        self::assertSame(5, $paired->rounds());
    }

    #[Test]
    public function a_change_that_is_larger_than_its_spread_is_seen(): void
    {
        foreach (range(1, 50) as $seed) {
            $paired = self::measured($seed, rounds: 45, factor: 0.85, noise: 0.08);

            self::assertTrue($paired->isSeen(), "seed {$seed}");
            self::assertEqualsWithDelta(0.85, $paired->ratio(), 0.05, "seed {$seed}");
        }
    }

    #[Test]
    public function a_change_that_is_smaller_than_its_spread_is_not_seen(): void
    {
        foreach (range(1, 50) as $seed) {
            self::assertFalse(self::measured($seed, rounds: 45, factor: 0.99, noise: 0.10)->isSeen(), "seed {$seed}");
        }
    }

    #[Test]
    public function of_a_thousand_comparisons_of_a_thing_with_itself_hardly_one_is_seen(): void
    {
        $seen = array_filter(
            range(1, 1_000),
            static fn (int $seed): bool => self::measured($seed, rounds: 12, factor: 1.0, noise: 0.10)->isSeen(),
        );

        self::assertLessThanOrEqual(10, count($seen));
    }

    #[Test]
    public function a_change_that_a_twin_has_too_is_not_seen(): void
    {
        $base = array_fill(0, 20, 100);
        $twin = PairedComparison::of($base, [...array_fill(0, 10, 103), ...array_fill(0, 10, 98)]);
        $ours = PairedComparison::of($base, array_fill(0, 20, 97.5));

        self::assertEqualsWithDelta(0.03, $twin->floor(), 1e-9);
        self::assertTrue($ours->isSeen());
        self::assertFalse($ours->isSeen($twin->floor()));
        self::assertTrue(PairedComparison::of($base, array_fill(0, 20, 96))->isSeen($twin->floor()));
    }

    #[Test]
    public function few_rounds_show_nothing_however_large_the_change_is(): void
    {
        self::assertFalse(PairedComparison::of(array_fill(0, 7, 100), array_fill(0, 7, 10))->isSeen());
        self::assertTrue(PairedComparison::of(array_fill(0, 8, 100), array_fill(0, 8, 10))->isSeen());
    }

    #[Test]
    public function a_third_of_the_rounds_that_disagrees_is_a_spread_that_hides_the_change(): void
    {
        $ours = [...array_fill(0, 64, 90), ...array_fill(0, 36, 105)];
        $paired = PairedComparison::of(array_fill(0, 100, 100), $ours);

        self::assertLessThan(0.01, $paired->chance());
        self::assertFalse($paired->isSeen());
    }

    /**
     * @return iterable<string, array{int, int, int, float}> rounds that are more, less, the same;
     *     by how much a coin is like it
     */
    public static function coins(): iterable
    {
        yield 'all of ten' => [0, 10, 0, 2 / 1024];
        yield 'nine of ten' => [1, 9, 0, 22 / 1024];
        yield 'seven of ten' => [7, 3, 0, 352 / 1024];
        yield 'half and half' => [5, 5, 0, 1.0];
        yield 'rounds without a difference' => [0, 10, 30, 2 / 1024];
        yield 'nothing but such' => [0, 0, 12, 1.0];
        yield 'more rounds than 2 to their power is a float' => [1_000, 1_000, 0, 1.0];
        yield 'all of 1,500' => [0, 1_500, 0, 0.0];
    }

    #[Test]
    #[DataProvider('coins')]
    public function a_coin_falls_so_with_a_known_probability(int $more, int $less, int $same, float $chance): void
    {
        $ours = [...array_fill(0, $more, 2), ...array_fill(0, $less, 0.5), ...array_fill(0, $same, 1)];

        self::assertEqualsWithDelta(
            $chance,
            PairedComparison::of(array_fill(0, count($ours), 1), $ours)->chance(),
            1e-9,
        );
    }

    #[Test]
    public function its_figures_are_reported_with_their_spread(): void
    {
        self::assertSame(
            [
                'ratio' => 0.9,
                'p25' => 0.85,
                'p75' => 1.0,
                'of_lower_quartiles' => 0.85,
                'iqr_share' => 0.1667,
                'chance' => 0.625,
                'rounds' => 5,
            ],
            PairedComparison::of([100, 100, 100, 100, 100], [90, 80, 85, 100, 110])->toArray(),
        );
    }

    #[Test]
    public function sides_of_unlike_length_are_refused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessageMatches('/\b2\b.*\b1\b/');

        PairedComparison::of([1, 2], [1]);
    }

    #[Test]
    public function nothing_is_compared_with_nought(): void
    {
        $this->expectException(InvalidArgumentException::class);

        PairedComparison::of([1, 0], [1, 1]);
    }

    /**
     * Rounds of a machine that is up to three times as slow at times, with noise of each side's own,
     * both logarithmically normal.
     */
    private static function measured(int $seed, int $rounds, float $factor, float $noise): PairedComparison
    {
        $random = new Randomizer(new Mt19937($seed));
        // From 0 to below 1.
        $share = static fn (): float => $random->getInt(0, 999_999) / 1_000_000;
        $normal = static fn (): float => sqrt(-2 * log(1 - $share())) * cos(2 * M_PI * $share());
        $base = $ours = [];

        for ($i = 0; $i < $rounds; $i++) {
            $machine = 1_000 * (1 + 2 * $share());
            $base[] = $machine * exp($noise * $normal());
            $ours[] = $machine * $factor * exp($noise * $normal());
        }

        return PairedComparison::of($base, $ours);
    }
}
