<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\Failure;

/**
 * The counts of one interval of the run. A request counts as sent in the interval in which it was sent, and as
 * succeeded or failed in the interval in which it ended.
 */
final class Interval
{
    public int $sent = 0;

    public int $succeeded = 0;

    /** @var array<string, int> by kind: the value of a Failure, or status_503 for a response with that status */
    public array $errors = [];

    /** Of all responses and timeouts, each within 0.8 %. */
    public Histogram $latency;

    /** @param int $inFlight the most requests in flight at once */
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
     * Adds the interval that followed.
     *
     * @internal
     */
    public function append(self $next): void
    {
        $this->sent += $next->sent;
        $this->succeeded += $next->succeeded;
        $this->inFlight = max($this->inFlight, $next->inFlight);
        $this->latency->merge($next->latency);

        foreach ($next->errors as $kind => $count) {
            $this->errors[$kind] = ($this->errors[$kind] ?? 0) + $count;
        }
    }

    /**
     * Adds the same interval of another process. The maxima of two processes may be at different moments, so their sum
     * is an upper bound.
     *
     * @internal
     */
    public function merge(self $other): void
    {
        $inFlight = $this->inFlight + $other->inFlight;
        $this->append($other);
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
