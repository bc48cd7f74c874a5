<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * The common subsequence of two lists, by the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986.
 *
 * @internal
 */
final readonly class Diff
{
    /** Memory grows with the square of this number. */
    private const MOST_DIFFERENCES = 1_000;

    /**
     * @param list<string> $a
     * @param list<string> $b
     * @return ?list<array{int, int}> pairs of positions with equal items, in order; null if the lists differ too much
     */
    public static function common(array $a, array $b): ?array
    {
        $head = 0;
        $shorter = min(count($a), count($b));

        while ($head < $shorter && $a[$head] === $b[$head]) {
            $head++;
        }

        $tail = 0;

        while ($tail < $shorter - $head && $a[count($a) - 1 - $tail] === $b[count($b) - 1 - $tail]) {
            $tail++;
        }

        $middle = self::middle(
            array_slice($a, $head, count($a) - $head - $tail),
            array_slice($b, $head, count($b) - $head - $tail),
        );

        if ($middle === null) {
            return null;
        }

        $pairs = [];

        for ($i = 0; $i < $head; $i++) {
            $pairs[] = [$i, $i];
        }

        foreach ($middle as [$x, $y]) {
            $pairs[] = [$head + $x, $head + $y];
        }

        for ($i = $tail; $i > 0; $i--) {
            $pairs[] = [count($a) - $i, count($b) - $i];
        }

        return $pairs;
    }

    /**
     * @param list<string> $a
     * @param list<string> $b
     * @return ?list<array{int, int}>
     */
    private static function middle(array $a, array $b): ?array
    {
        $n = count($a);
        $m = count($b);
        $furthest = [1 => 0];
        $trace = [];

        for ($d = 0; $d <= min($n + $m, self::MOST_DIFFERENCES); $d++) {
            $trace[] = $furthest;

            for ($k = -$d; $k <= $d; $k += 2) {
                $x = self::isDown($furthest, $k, $d) ? $furthest[$k + 1] : $furthest[$k - 1] + 1;
                $y = $x - $k;

                while ($x < $n && $y < $m && $a[$x] === $b[$y]) {
                    $x++;
                    $y++;
                }

                $furthest[$k] = $x;

                if ($x >= $n && $y >= $m) {
                    return self::walkBack($trace, $n, $m);
                }
            }
        }

        return null;
    }

    /**
     * @param list<array<int, int>> $trace
     * @return list<array{int, int}>
     */
    private static function walkBack(array $trace, int $x, int $y): array
    {
        $pairs = [];

        for ($d = count($trace) - 1; $d >= 0; $d--) {
            $furthest = $trace[$d];
            $k = $x - $y;
            $before = self::isDown($furthest, $k, $d) ? $k + 1 : $k - 1;
            $fromX = $d === 0 ? 0 : $furthest[$before];
            $fromY = $d === 0 ? 0 : $fromX - $before;

            while ($x > $fromX && $y > $fromY) {
                $pairs[] = [--$x, --$y];
            }

            [$x, $y] = [$fromX, $fromY];
        }

        return array_reverse($pairs);
    }

    /**
     * Whether the path to diagonal k goes down, which is an insertion, and not to the right.
     *
     * @param array<int, int> $furthest
     */
    private static function isDown(array $furthest, int $k, int $d): bool
    {
        return $k === -$d || ($k !== $d && ($furthest[$k - 1] ?? -1) < ($furthest[$k + 1] ?? -1));
    }
}
