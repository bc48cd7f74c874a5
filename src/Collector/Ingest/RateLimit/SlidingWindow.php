<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\RateLimit;

use function array_fill;
use function array_sum;
use function array_values;
use function intdiv;
use function max;
use function pack;
use function strlen;
use function unpack;

/**
 * The events of the last second, in steps of 20 ms. It counts one step more than a second has, so that no second,
 * wherever it begins, exceeds the rate; that costs at most 2 % of the rate.
 *
 * @internal
 */
final readonly class SlidingWindow
{
    public const BYTES = 8 + 4 * self::STEPS;

    private const STEP_MICROS = 20_000;

    private const STEPS = 51;

    /**
     * @param int $step of the newest count, since the Unix epoch
     * @param list<int> $counts by step modulo STEPS
     */
    private function __construct(private int $step, private array $counts) {}

    /**
     * @param string $bytes from pack(); empty for a new window
     * @param int $now microseconds since the Unix epoch
     * @param int<1, max> $rate
     */
    public static function at(string $bytes, int $now, int $rate): self
    {
        $step = intdiv($now, self::STEP_MICROS);

        if ($bytes === '') {
            return new self($step, array_fill(0, self::STEPS, 0));
        }

        $members = strlen($bytes) === self::BYTES ? unpack('Pstep/V'.self::STEPS.'n', $bytes) : false;
        $last = $members === false ? null : $members['step'];

        // Damaged, or the clock was set back by more than the window: accept nothing for a second.
        if ($members === false || ! is_int($last) || $last - $step >= self::STEPS) {
            return (new self($step, array_fill(0, self::STEPS, 0)))->with($rate);
        }

        unset($members['step']);
        $counts = array_map(static fn (mixed $count): int => is_int($count) ? $count : 0, array_values($members));

        for ($passed = max($last + 1, $step - self::STEPS + 1); $passed <= $step; $passed++) {
            $counts[$passed % self::STEPS] = 0;
        }

        return new self(max($last, $step), array_values($counts));
    }

    public function used(): int
    {
        return array_sum($this->counts);
    }

    public function with(int $count): self
    {
        $counts = $this->counts;
        $counts[$this->step % self::STEPS] += $count;

        return new self($this->step, array_values($counts));
    }

    /** @return int microseconds since the Unix epoch at which that many more events fit */
    public function freedAt(int $count): int
    {
        $freed = 0;
        $step = $this->step - self::STEPS + 1;

        for (; $step < $this->step; $step++) {
            $freed += $this->counts[$step % self::STEPS];

            if ($freed >= $count) {
                break;
            }
        }

        return ($step + self::STEPS) * self::STEP_MICROS;
    }

    public function pack(): string
    {
        return pack('PV'.self::STEPS, $this->step, ...$this->counts);
    }
}
