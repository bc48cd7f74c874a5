<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

/**
 * The counters of one process, by Prometheus series: name{label="value"}.
 *
 * @internal
 */
final class MetricsRegistry
{
    /** Upper bounds in nanoseconds, and as Prometheus has them, in seconds. */
    private const BOUNDS = [
        500_000 => '0.0005',
        1_000_000 => '0.001',
        2_500_000 => '0.0025',
        5_000_000 => '0.005',
        10_000_000 => '0.01',
        25_000_000 => '0.025',
        50_000_000 => '0.05',
        100_000_000 => '0.1',
        250_000_000 => '0.25',
        500_000_000 => '0.5',
        1_000_000_000 => '1',
        2_500_000_000 => '2.5',
    ];

    /** @var array<string, int|float> */
    public array $counters = [];

    /** @var array<int, string> series by status */
    private array $responseSeries = [];

    /** @var array<int, int> by upper bound; PHP_INT_MAX for longer ones */
    private array $acks = [];

    private int $ackNanos = 0;

    public function increment(string $series, int $by = 1): void
    {
        $this->counters[$series] = ($this->counters[$series] ?? 0) + $by;
    }

    public function countResponse(int $status): void
    {
        $this->increment($this->responseSeries[$status] ??= 'headroom_http_requests_total{code="'.$status.'"}');
    }

    public function responses(): int
    {
        $sum = 0;

        foreach ($this->responseSeries as $series) {
            $sum += (int) ($this->counters[$series] ?? 0);
        }

        return $sum;
    }

    /** @param string $reason why the server closed the connection */
    public function countDroppedConnection(string $reason): void
    {
        $this->increment('headroom_connections_dropped_total{reason="'.$reason.'"}');
    }

    /** @param int $nanos from the parsed request to the end of the append */
    public function observeAcknowledgement(int $nanos): void
    {
        $this->ackNanos += $nanos;
        $bound = PHP_INT_MAX;

        foreach (self::BOUNDS as $upper => $seconds) {
            if ($nanos <= $upper) {
                $bound = $upper;

                break;
            }
        }

        $this->acks[$bound] = ($this->acks[$bound] ?? 0) + 1;
    }

    /** @return array<string, int|float> */
    public function series(): array
    {
        $sum = 0;
        $series = $this->counters;

        foreach (self::BOUNDS as $upper => $seconds) {
            $series['headroom_ack_duration_seconds_bucket{le="'.$seconds.'"}'] = $sum += $this->acks[$upper] ?? 0;
        }

        $sum += $this->acks[PHP_INT_MAX] ?? 0;

        return [
            ...$series,
            'headroom_ack_duration_seconds_bucket{le="+Inf"}' => $sum,
            'headroom_ack_duration_seconds_count' => $sum,
            'headroom_ack_duration_seconds_sum' => $this->ackNanos / 1_000_000_000,
        ];
    }
}
