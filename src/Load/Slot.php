<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What happened within one part of the run's time. A request counts as sent where it began,
 * and as ended where it ended.
 */
final class Slot
{
    public int $sent = 0;

    public int $succeeded = 0;

    /** @var array<string, int> by kind: a Failure's value, or status_503 for an answer with that status */
    public array $errors = [];

    /** Of everything answered and of the timeouts, each to within 0.8 %. */
    public Histogram $latency;

    /** @param int $inFlight the most at once */
    public function __construct(public int $inFlight = 0)
    {
        $this->latency = Histogram::coarse();
    }

    public function errors(): int
    {
        return array_sum($this->errors);
    }

    /** @internal */
    public function failed(string $kind): void
    {
        $this->errors[$kind] = ($this->errors[$kind] ?? 0) + 1;
    }

    /**
     * Takes in what came right after it.
     *
     * @internal
     */
    public function absorb(self $next): void
    {
        $this->sent += $next->sent;
        $this->succeeded += $next->succeeded;
        $this->inFlight = max($this->inFlight, $next->inFlight);
        $this->latency->absorb($next->latency);

        foreach ($next->errors as $kind => $count) {
            $this->errors[$kind] = ($this->errors[$kind] ?? 0) + $count;
        }
    }

    /**
     * Takes in what another process did in the same time. The most of each did not have to be at the same moment: the
     * sum is the most that there can have been.
     *
     * @internal
     */
    public function join(self $other): void
    {
        $inFlight = $this->inFlight + $other->inFlight;
        $this->absorb($other);
        $this->inFlight = $inFlight;
    }

    /**
     * @return array{
     *     sent: int,
     *     succeeded: int,
     *     errors: object,
     *     in_flight: int,
     *     latency_us: array{mean: ?float, p50: ?int, p90: ?int, p95: ?int, p99: ?int, max: ?int},
     * }
     */
    public function toArray(): array
    {
        $mean = $this->latency->mean();

        return [
            'sent' => $this->sent,
            'succeeded' => $this->succeeded,
            // An object in JSON, even when empty.
            'errors' => (object) $this->errors,
            'in_flight' => $this->inFlight,
            'latency_us' => [
                'mean' => $mean === null ? null : round($mean, 1),
                'p50' => $this->latency->percentile(50),
                'p90' => $this->latency->percentile(90),
                'p95' => $this->latency->percentile(95),
                'p99' => $this->latency->percentile(99),
                'max' => $this->latency->max(),
            ],
        ];
    }
}
