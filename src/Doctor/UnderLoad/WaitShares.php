<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The waits of processes over many samples: the share of samples in a state is the share of time.
 *
 * @internal
 */
final readonly class WaitShares
{
    private const MIN_INSPECTED_SHARE = 0.5;

    /** With a larger share of busy processes that cannot be inspected, a cause may be hidden. */
    private const MAX_UNKNOWN_SHARE = 0.1;

    /** @param list<list<Wait>> $samples */
    public function __construct(public array $samples) {}

    public function isEmpty(): bool
    {
        return $this->samples === [];
    }

    /** Busy processes, on average. */
    public function busy(): float
    {
        return $this->processes(static fn (Wait $wait): bool => $wait->kind !== WaitKind::Idle);
    }

    public function all(): float
    {
        return $this->processes(static fn (Wait $wait): bool => true);
    }

    public function of(WaitKind ...$kinds): float
    {
        return $this->processes(static fn (Wait $wait): bool => in_array($wait->kind, $kinds, true));
    }

    /** Whether the waits of nearly all busy processes are known. */
    public function isWhole(): bool
    {
        return $this->of(WaitKind::Unknown) <= self::MAX_UNKNOWN_SHARE * $this->busy();
    }

    /** The reason why one of them is unknown, with the command that shows it. */
    public function whyUnknown(): ?string
    {
        foreach ($this->samples as $waits) {
            foreach ($waits as $wait) {
                if ($wait->kind === WaitKind::Unknown && $wait->why !== null) {
                    return $wait->why;
                }
            }
        }

        return null;
    }

    /**
     * The number of these processes, on average.
     *
     * @param Closure(Wait): bool $counts
     */
    public function processes(Closure $counts): float
    {
        $sum = 0;

        foreach ($this->samples as $waits) {
            $sum += count(array_filter($waits, $counts));
        }

        return $this->samples === [] ? 0.0 : $sum / count($this->samples);
    }

    /**
     * Share of the time of busy processes that could be inspected; 0 if these are few.
     *
     * @param Closure(Wait): bool $counts
     */
    public function share(Closure $counts): float
    {
        $busy = $this->busy();
        $seen = $busy - $this->of(WaitKind::Unknown);

        return $busy <= 0.0 || $seen < self::MIN_INSPECTED_SHARE * $busy ? 0.0 : $this->processes($counts) / $seen;
    }

    /**
     * The peer that processes wait for most.
     *
     * @param Closure(Wait): bool $counts
     */
    public function peer(Closure $counts): ?string
    {
        $times = [];

        foreach ($this->samples as $waits) {
            foreach (array_filter($waits, $counts) as $wait) {
                if ($wait->peer !== null) {
                    $times[$wait->peer->address] = ($times[$wait->peer->address] ?? 0) + 1;
                }
            }
        }

        arsort($times);

        return array_key_first($times);
    }

    /** @return array<string, float> processes by what they do, the most first */
    public function kinds(): array
    {
        $kinds = [];

        foreach (WaitKind::cases() as $kind) {
            $processes = $this->of($kind);

            if ($processes > 0.0) {
                $kinds[$kind->value] = $processes;
            }
        }

        arsort($kinds);

        return $kinds;
    }
}
