<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Spool\RateLimit;

/**
 * Which tokens of a bucket's rate are taken, and since when. A token is one event that was handed over, or is about to
 * be; it is free again when the rate's time has passed.
 *
 * Times are microseconds of the clock that never runs backwards and that all processes of the machine share. It begins
 * anew with each boot: a time that lies ahead is of an earlier boot, and since then at least this one's time has passed.
 * So nobody who sets the machine's clock opens the gate, and a boot shuts it for the rate's time at most.
 *
 * @internal
 */
final readonly class RateWindow
{
    /** The state file's records have a size: what is taken within a twelfth of the rate's time is free at once again, with the last of it. */
    private const PARTS = 12;

    /** @param list<array{int, int<0, max>}> $taken since when, and how many; the older first */
    public function __construct(public array $taken = []) {}

    /** @return int<0, max> that can be taken now */
    public function left(RateLimit $rate, int $now): int
    {
        return max(0, $rate->events - array_sum(array_column($this->taken($rate, $now), 1)));
    }

    /** @return int<0, max> microseconds until one can be taken */
    public function wait(RateLimit $rate, int $now): int
    {
        $taken = $this->taken($rate, $now);
        $sum = array_sum(array_column($taken, 1));
        $wait = 0;

        foreach ($taken as [$since, $tokens]) {
            if ($sum < $rate->events) {
                break;
            }

            $sum -= $tokens;
            $wait = $since + $rate->seconds * 1_000_000 - $now;
        }

        return max(0, $wait);
    }

    /** @param int<0, max> $tokens may be more than are left: a range that was begun is handed over again, and counts again */
    public function take(RateLimit $rate, int $tokens, int $now): self
    {
        $part = max(1, intdiv($rate->seconds * 1_000_000, self::PARTS));
        $parts = [];

        foreach ([...$this->taken($rate, $now), [$now, $tokens]] as [$since, $number]) {
            $key = intdiv($since, $part);
            $parts[$key] = [$since, ($parts[$key][1] ?? 0) + $number];
        }

        return new self(array_values($parts));
    }

    /**
     * For machines that share them, and go by clocks of the day which may differ: what lies ahead was taken just now. What
     * lies ahead by more than the rate's time was taken by a clock that was wrong, and is free.
     */
    public function shared(RateLimit $rate, int $now): self
    {
        return new self(array_map(static fn (array $part): array => [$part[0] > $now && $rate->seconds * 1_000_000 >= $part[0] - $now ? $now : $part[0], $part[1]], $this->taken));
    }

    /** @return list<array{int, int<0, max>}> not free yet */
    private function taken(RateLimit $rate, int $now): array
    {
        $taken = [];

        foreach ($this->taken as [$since, $tokens]) {
            $since = $since > $now ? 0 : $since;

            if ($now - $since < $rate->seconds * 1_000_000) {
                $taken[] = [$since, $tokens];
            }
        }

        return $taken;
    }
}
