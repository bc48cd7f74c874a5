<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Verification;

use Headroom\Preload\Verification\Diff;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DiffTest extends TestCase
{
    #[Test]
    public function it_finds_as_much_in_common_as_there_is(): void
    {
        mt_srand(4711);

        for ($i = 0; $i < 2_000; $i++) {
            $letters = mt_rand(1, 5);
            [$a, $b] = [self::random(mt_rand(0, 14), $letters), self::random(mt_rand(0, 14), $letters)];
            $words = implode('', $a).' and '.implode('', $b);
            $pairs = Diff::common($a, $b);
            self::assertNotNull($pairs);
            $last = [-1, -1];

            foreach ($pairs as [$x, $y]) {
                self::assertTrue($x > $last[0] && $y > $last[1], $words);
                self::assertSame($a[$x], $b[$y], $words);
                $last = [$x, $y];
            }

            self::assertCount(self::longest($a, $b), $pairs, $words);
        }
    }

    #[Test]
    public function nothing_has_nothing_in_common(): void
    {
        self::assertSame([], Diff::common([], []));
        self::assertSame([], Diff::common(['a'], []));
        self::assertSame([], Diff::common([], ['a']));
        self::assertSame([], Diff::common(['a', 'b'], ['c']));
    }

    #[Test]
    public function it_gives_up_at_a_thousand_differences_and_not_before(): void
    {
        $lines = static fn (string $name, int $count): array
            => array_map(static fn (int $i): string => "{$name}{$i}", $count === 0 ? [] : range(1, $count));
        $same = $lines('same', 3_000);

        self::assertSame([], Diff::common($lines('a', 500), $lines('b', 500)));
        self::assertNull(Diff::common($lines('a', 501), $lines('b', 500)));
        self::assertCount(
            3_000,
            Diff::common([...$lines('a', 500), ...$same, 'x'], [...$lines('b', 498), ...$same, 'y']) ?? [],
        );
        self::assertNull(Diff::common([...$lines('a', 500), ...$same, 'x'], [...$lines('b', 500), ...$same, 'y']));
    }

    /** @return list<string> */
    private static function random(int $length, int $letters): array
    {
        $list = [];

        for ($i = 0; $i < $length; $i++) {
            $list[] = chr(97 + mt_rand(0, $letters - 1));
        }

        return $list;
    }

    /**
     * @param list<string> $a
     * @param list<string> $b
     */
    private static function longest(array $a, array $b): int
    {
        $lengths = [array_fill(0, count($b) + 1, 0)];

        foreach ($a as $i => $one) {
            $lengths[$i + 1] = [0];

            foreach ($b as $j => $other) {
                $lengths[$i + 1][$j
                    + 1] = $one === $other ? $lengths[$i][$j] + 1 : max($lengths[$i][$j + 1], $lengths[$i + 1][$j]);
            }
        }

        return $lengths[count($a)][count($b)];
    }
}
