<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

use Headroom\Spool\RateLimit;

/**
 * The tokens of a bucket's rate limit that are taken, and when they were taken. A token stands for one event that was
 * handed over or is about to be. It is free again when the period of the rate limit has passed.
 *
 * Times are microseconds of the monotonic clock, which never runs backwards and which all processes of the machine
 * share. It starts again at each boot. A time in the future was taken before the last boot, so at least the uptime has
 * passed since. Setting the machine's clock therefore frees no token, and a boot delays a bucket by at most one period.
 *
 * @internal
 */
final readonly class RateWindow
{
    /**
     * The records of the state file have a fixed size, so the period has twelve parts. The tokens that are taken within
     * one part become free together, with the last of them.
     */
    private const PARTS = 12;

    /** @param list<array{int, int<0, max>}> $taken time and number of tokens, in the order of the times */
    public function __construct(public array $taken = []) {}

    /** @return int<0, max> number of tokens that can be taken now */
    public function available(RateLimit $rate, int $now): int
    {
        return max(0, $rate->events - array_sum(array_column($this->taken($rate, $now), 1)));
    }

    /** @return int<0, max> microseconds until a token is free */
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

    /**
     * @param int<0, max> $tokens may exceed the free tokens: a range that was sent before is sent and counted again
     */
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
     * Adjusts the times for machines that share the tokens. They use wall clocks, which may differ, so tokens with a
     * time in the future count as taken now. A time that is ahead by more than the period comes from a wrong clock; its
     * tokens are free.
     */
    public function shared(RateLimit $rate, int $now): self
    {
        return new self(array_map(
            static fn (array $part): array
                => [$part[0] > $now && $rate->seconds * 1_000_000 >= $part[0] - $now ? $now : $part[0], $part[1]],
            $this->taken,
        ));
    }

    /** @return list<array{int, int<0, max>}> the tokens that are not free yet */
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
