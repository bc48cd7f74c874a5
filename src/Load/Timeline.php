<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The run in slots of equal length, without a gap. They are an eighth of a second long; whenever there are too many of
 * them, neighbours become one, so that a week takes no more memory than a minute.
 */
final class Timeline
{
    private const SHORTEST_NANOS = 125_000_000;

    /** With 256 a run of up to half a minute has slots of 1/8 s, one of up to four minutes slots of a second. */
    private const MOST = 256;

    private int $width = self::SHORTEST_NANOS;

    /** @var non-empty-list<Slot> */
    private array $slots;

    private Slot $last;

    public function __construct()
    {
        $this->slots = [$this->last = new Slot];
    }

    /**
     * @internal
     *
     * @param int $width nanoseconds
     * @param non-empty-list<Slot> $slots
     */
    public static function of(int $width, array $slots): self
    {
        $timeline = new self;
        $timeline->width = $width;
        $timeline->slots = $slots;
        $timeline->last = $slots[count($slots) - 1];

        return $timeline;
    }

    /** Seconds that each slot is long; the last one ends with the run. */
    public function width(): float
    {
        return $this->width / 1e9;
    }

    /** @return non-empty-list<Slot> */
    public function slots(): array
    {
        return $this->slots;
    }

    /**
     * The slot of now.
     *
     * @internal
     */
    public function current(): Slot
    {
        return $this->last;
    }

    /**
     * When the slot of now is over, in nanoseconds from the start of the run.
     *
     * @internal
     */
    public function end(): int
    {
        return count($this->slots) * $this->width;
    }

    /**
     * Goes on to a time, in nanoseconds from the start of the run, never back.
     *
     * @internal
     */
    public function advance(int $nanos, int $inFlight): void
    {
        while ($nanos >= $this->end()) {
            if (count($this->slots) === self::MOST) {
                $this->halve();
            } else {
                $this->slots[] = $this->last = new Slot($inFlight);
            }
        }
    }

    /**
     * Takes in that of another process, whose run began at the same time.
     *
     * @internal
     */
    public function absorb(self $other): void
    {
        while ($this->width < $other->width) {
            $this->halve();
        }

        while ($other->width < $this->width) {
            $other->halve();
        }

        foreach ($other->slots as $i => $slot) {
            isset($this->slots[$i]) ? $this->slots[$i]->join($slot) : $this->slots[] = $slot;
        }

        $this->last = $this->slots[count($this->slots) - 1];
    }

    /**
     * @param float $seconds how long the run took
     * @return list<array<string, mixed>> see docs/load.md
     */
    public function toArray(float $seconds): array
    {
        $slots = [];

        foreach ($this->slots as $i => $slot) {
            $from = $i * $this->width();
            // The clock may have been looked at before the end of the run and after it.
            $length = max(0.0, min($this->width(), $seconds - $from));
            $slots[] = ['from_s' => round($from, 3), 'seconds' => round($length, 3)] + $slot->toArray();
        }

        return $slots;
    }

    private function halve(): void
    {
        $slots = [];

        foreach (array_chunk($this->slots, 2) as $pair) {
            if (isset($pair[1])) {
                $pair[0]->absorb($pair[1]);
            }

            $slots[] = $this->last = $pair[0];
        }

        $this->width *= 2;
        $this->slots = $slots;
    }
}
