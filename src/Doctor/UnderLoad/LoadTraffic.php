<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * The result of the load, from the output of `headroom load --json`.
 *
 * @internal
 */
final readonly class LoadTraffic
{
    /**
     * @param int $requests that ended, with any result
     * @param array<int, int> $statuses answers by status
     * @param ?float $meanMs of all responses, with timeouts counted at their limit; null without a response
     * @param ?int $startedNanos on the monotonic clock of this machine
     * @param list<TimeSlice> $slices
     * @param list<string> $limits of the client itself
     */
    public function __construct(
        public int $requests = 0,
        public int $failed = 0,
        public int $timeouts = 0,
        public array $statuses = [],
        public ?float $meanMs = null,
        public ?float $p50Ms = null,
        public ?float $p95Ms = null,
        public float $perSecond = 0.0,
        public float $clientCpu = 0.0,
        public ?int $startedNanos = null,
        public array $slices = [],
        public array $limits = [],
        public bool $isStopped = false,
    ) {}

    /** Null if it is not a result. */
    public static function fromJson(string $json): ?self
    {
        $result = json_decode($json, true);

        if (! is_array($result) || ! isset($result['sent'])) {
            return null;
        }

        $latency = is_array($result['latency_us'] ?? null) ? $result['latency_us']['with_timeouts'] ?? null : null;
        $latency = is_array($latency) ? $latency : [];
        $client = is_array($result['client'] ?? null) ? $result['client'] : [];
        $count = static fn (string $key): int => is_int($result[$key] ?? null) ? $result[$key] : 0;
        $finished = $count('sent') - $count('unfinished');
        $statuses = [];

        foreach (is_array($result['statuses'] ?? null) ? $result['statuses'] : [] as $status => $answers) {
            $statuses[(int) $status] = is_int($answers) ? $answers : 0;
        }

        return new self(
            $finished,
            $finished - $count('succeeded'),
            $count('timeouts'),
            $statuses,
            self::millis($latency['mean'] ?? null),
            self::millis($latency['p50'] ?? null),
            self::millis($latency['p95'] ?? null),
            is_numeric($result['requests_per_second'] ?? null) ? (float) $result['requests_per_second'] : 0.0,
            is_numeric($client['cpu_share'] ?? null) ? (float) $client['cpu_share'] : 0.0,
            is_int($result['started_monotonic_ns'] ?? null) ? $result['started_monotonic_ns'] : null,
            self::slices($result['timeline'] ?? null),
            is_array($client['limits'] ?? null) ? array_values(array_filter($client['limits'], is_string(...))) : [],
            ($result['stopped_early'] ?? null) === true,
        );
    }

    public function errorRate(): float
    {
        return $this->requests === 0 ? 0.0 : $this->failed / $this->requests;
    }

    /** A server responded, or timed out. */
    public function isAnswered(): bool
    {
        return $this->requests === 0 || $this->statuses !== [] || $this->timeouts > 0;
    }

    /** Null without a response. */
    public function mostFrequentStatus(): ?int
    {
        $statuses = $this->statuses;
        arsort($statuses);

        return array_key_first($statuses);
    }

    /** Share of all requests that ended with one of these statuses. */
    public function share(int ...$statuses): float
    {
        $answers = 0;

        foreach ($statuses as $status) {
            $answers += $this->statuses[$status] ?? 0;
        }

        return $this->requests === 0 ? 0.0 : $answers / $this->requests;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'requests' => $this->requests,
            'errors' => $this->failed,
            'error_rate' => round($this->errorRate(), 6),
            'timeouts' => $this->timeouts,
            'statuses' => (object) $this->statuses,
            'mean_ms' => $this->meanMs,
            'p50_ms' => $this->p50Ms,
            'p95_ms' => $this->p95Ms,
            'requests_per_second' => $this->perSecond,
            'client_cpu_share' => $this->clientCpu,
            'stopped_early' => $this->isStopped,
        ];
    }

    private static function millis(mixed $micros): ?float
    {
        return is_numeric($micros) ? round((float) $micros / 1_000, 3) : null;
    }

    /** @return list<TimeSlice> */
    private static function slices(mixed $slots): array
    {
        $slices = [];

        foreach (is_array($slots) ? $slots : [] as $slot) {
            if (is_array($slot) && is_numeric($slot['from_s'] ?? null)) {
                $latency = is_array($slot['latency_us'] ?? null) ? $slot['latency_us'] : [];
                $errors = is_array($slot['errors'] ?? null) ? array_sum(array_filter($slot['errors'], is_int(...))) : 0;
                $slices[] = new TimeSlice(
                    (float) $slot['from_s'],
                    self::millis($latency['mean'] ?? null),
                    self::millis($latency['p95'] ?? null),
                    is_int($slot['succeeded'] ?? null) ? $slot['succeeded'] : 0,
                    $errors,
                );
            }
        }

        return $slices;
    }
}
