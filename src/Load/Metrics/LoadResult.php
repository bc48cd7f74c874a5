<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;

/**
 * The result of a run. Always: sent = succeeded + httpErrors + wrongAnswers + timeouts + connectErrors + otherErrors +
 * unfinished.
 */
final readonly class LoadResult
{
    public const BUILT_IN_SERVER = "PHP's built-in server";

    /** A share of requests, or of iterations, that may start late: any machine has short interruptions. */
    private const FEW_LATE = 0.01;

    /** From this share of one core on, the generator itself may slow responses down. */
    private const CPU_LIMIT = 0.9;

    /** The redirects that browsers follow (RFC 9110, section 15.4). */
    private const REDIRECTS = [301, 302, 303, 307, 308];

    /** In a shorter run, the CPU time is mostly that of the start. */
    private const MEASURABLE_SECONDS = 0.1;

    /**
     * @param float $seconds from the first request to the end of the run
     * @param float $cpuShare of one core, used by all processes together
     * @param float $busiest of one core, used by the process that used most
     * @param list<string> $lost why processes ended whose requests are not in the result
     * @param int $unfinished in flight when the run ended
     * @param int $resent requests that were sent a second time on a new connection
     * @param int $bytes of received bodies
     * @param array<int, int> $statuses responses by status
     * @param list<FailureCount> $failures the most frequent first
     * @param ?string $server the Server header of the first response, or BUILT_IN_SERVER
     * @param ?string $location the Location header of the first response
     * @param ?int $startedNanos by the monotonic clock of the machine; null in a result that no run produced
     * @param ?Schedule $schedule null in the closed model, in which requests have no due time
     */
    private function __construct(
        public Plan $plan,
        public float $seconds,
        public float $cpuShare,
        public float $busiest,
        public array $lost,
        public bool $stoppedEarly,
        public int $unfinished,
        public int $resent,
        public int $bytes,
        public int $connections,
        public array $statuses,
        public array $failures,
        public TimeSeries $timeline,
        public ?Schedule $schedule,
        public ?string $server,
        private ?string $location,
        public ?int $startedNanos,
        public ?Iterations $iterations,
        public ?ReplaySummary $log,
        private Histogram $succeeded,
        private Histogram $httpErrors,
        private Histogram $wrong,
        private Histogram $timeouts,
        private ?Histogram $service,
    ) {}

    /**
     * @internal
     *
     * @param list<PartialResult> $parts one for each process; the others are merged into the first
     * @param list<string> $lost
     */
    public static function of(Plan $plan, array $parts, array $lost = []): self
    {
        $metrics = $parts[0]->metrics ?? new Metrics($plan);

        foreach (array_slice($parts, 1) as $part) {
            $metrics->merge($part->metrics);
        }

        $seconds = max([0.0, ...array_map(static fn (PartialResult $part): float => $part->seconds, $parts)]);
        $shares = array_map(static fn (PartialResult $part): float => $part->cpuShare(), $parts);
        $started = array_filter(
            array_map(static fn (PartialResult $part): ?int => $part->startedNanos, $parts),
            is_int(...),
        );
        $statuses = $metrics->statuses;
        ksort($statuses);
        $failures = array_values($metrics->failures);
        usort($failures, static fn (FailureCount $a, FailureCount $b): int => $b->count <=> $a->count);

        return new self(
            $plan,
            $seconds,
            array_sum($shares),
            max([0.0, ...$shares]),
            $lost,
            in_array(true, array_map(static fn (PartialResult $part): bool => $part->stoppedEarly, $parts), true),
            $metrics->unfinished,
            $metrics->resent,
            $metrics->bytes,
            $metrics->connections,
            $statuses,
            $failures,
            $metrics->timeline,
            $metrics->delay === null ? null : new Schedule($metrics->late, $metrics->dropped, $metrics->delay),
            $metrics->server,
            $metrics->location,
            $started === [] ? null : min($started),
            $metrics->iterations,
            $metrics->log,
            $metrics->succeeded,
            $metrics->httpErrors,
            $metrics->wrong,
            $metrics->timeouts,
            $metrics->service,
        );
    }

    /** The redirect target if every response is an unexpected redirect, so the page was not measured; else null. */
    public function redirectTarget(): ?string
    {
        $others = array_diff_key($this->statuses, array_flip(self::REDIRECTS));
        $isExpected = ($this->plan->expected->statuses ?? []) !== [];
        $isOther = $this->statuses === [] || $others !== [] || $isExpected;

        return $isOther || $this->iterations !== null || $this->log !== null ? null : $this->location ?? '';
    }

    public function sent(): int
    {
        return $this->finished() + $this->unfinished;
    }

    public function finished(): int
    {
        return array_sum(array_map($this->count(...), Outcome::cases()));
    }

    public function count(Outcome $outcome): int
    {
        return match ($outcome) {
            Outcome::Succeeded => $this->succeeded->count(),
            Outcome::HttpError => $this->httpErrors->count(),
            Outcome::WrongResponse, Outcome::Timeout, Outcome::ConnectError, Outcome::OtherError => array_sum(array_map(
                static fn (FailureCount $failure): int
                    => $failure->failure->outcome() === $outcome ? $failure->count : 0,
                $this->failures,
            )),
        };
    }

    public function succeeded(): int
    {
        return $this->succeeded->count();
    }

    /** The share of finished requests that did not succeed; null if none finished. */
    public function errorRate(): ?float
    {
        return $this->finished() === 0 ? null : ($this->finished() - $this->succeeded()) / $this->finished();
    }

    /** Complete responses per second, with any status. */
    public function requestsPerSecond(): float
    {
        return $this->perSecond($this->succeeded->count() + $this->httpErrors->count() + $this->wrong->count());
    }

    public function succeededPerSecond(): float
    {
        return $this->perSecond($this->succeeded->count());
    }

    public function mostInFlight(): int
    {
        return max(array_map(static fn (Interval $interval): int => $interval->inFlight, $this->timeline->intervals()));
    }

    /** Response times of successful requests. */
    public function latencySucceeded(): Histogram
    {
        return $this->succeeded;
    }

    /** Response times of all complete responses: a fast error page counts like a good page. */
    public function latency(): Histogram
    {
        return $this->succeeded->with($this->httpErrors)->with($this->wrong);
    }

    /** As latency(), with each timeout at the moment at which it was given up. This is a lower bound of the wait. */
    public function latencyWithTimeouts(): Histogram
    {
        return $this->latency()->with($this->timeouts);
    }

    /** As latency(), from the moment of sending instead of the moment at which the request was due. */
    public function serviceTime(): Histogram
    {
        return $this->service ?? $this->latency();
    }

    /** Whether the generator or its machine may have limited the figures, instead of the server. */
    public function isClientLimited(): bool
    {
        return $this->clientLimits() !== [];
    }

    /** @return list<ClientLimit> */
    public function clientLimits(): array
    {
        $ports = array_filter(
            $this->failures,
            static fn (FailureCount $failure): bool => $failure->failure === Failure::NoLocalPort,
        );

        return [
            ...($this->busiest >= self::CPU_LIMIT && $this->seconds >= self::MEASURABLE_SECONDS
                ? [ClientLimit::Cpu]
                : []),
            ...($this->isLate() && $this->mostBusy() < $this->plan->concurrency ? [ClientLimit::LateStarts] : []),
            ...($ports === [] ? [] : [ClientLimit::LocalPorts]),
        ];
    }

    /** Whether enough requests, or iterations, started late or were dropped for a warning. */
    public function isLate(): bool
    {
        return $this->schedule !== null
            && ($this->schedule->dropped > 0
                || $this->schedule->late > self::FEW_LATE * ($this->iterations->begun ?? $this->sent()));
    }

    /** @return array<string, mixed> see docs/load.md */
    public function toArray(): array
    {
        return [
            'plan' => $this->plan->toArray(),
            'stopped_early' => $this->stoppedEarly,
            'lost' => $this->lost,
            'seconds' => round($this->seconds, 6),
            'sent' => $this->sent(),
            ...$this->counts(),
            'unfinished' => $this->unfinished,
            'resent' => $this->resent,
            'error_rate' => $this->errorRate() === null ? null : round($this->errorRate(), 6),
            'requests_per_second' => round($this->requestsPerSecond(), 3),
            'succeeded_per_second' => round($this->succeededPerSecond(), 3),
            'bytes_received' => $this->bytes,
            'connections_opened' => $this->connections,
            'latency_us' => [
                'succeeded' => $this->succeeded->toArray(),
                'answered' => $this->latency()->toArray(),
                'with_timeouts' => $this->latencyWithTimeouts()->toArray(),
                'service' => $this->serviceTime()->toArray(),
            ],
            'schedule' => $this->schedule?->toArray(),
            // An object in JSON, even if it is empty.
            'statuses' => (object) $this->statuses,
            'failures' => array_map(static fn (FailureCount $failure): array => [
                'kind' => $failure->failure->value,
                'outcome' => $failure->failure->outcome()->value,
                'count' => $failure->count,
                'message' => $failure->message,
            ], $this->failures),
            'timeline' => $this->timeline->toArray($this->seconds),
            'client' => [
                'cpu_share' => round($this->cpuShare, 3),
                'limited' => $this->isClientLimited(),
                'limits' => array_column($this->clientLimits(), 'value'),
            ],
            'server' => $this->server,
            'started_monotonic_ns' => $this->startedNanos,
            'scenario' => $this->iterations?->toArray(),
            'replay' => $this->log?->toArray(),
        ];
    }

    /** @return array<string, int> */
    private function counts(): array
    {
        $counts = [];

        foreach (Outcome::cases() as $outcome) {
            $counts[$outcome->value] = $this->count($outcome);
        }

        return $counts;
    }

    /** Requests in flight or, in a scenario, virtual users in an iteration, of which some think. */
    private function mostBusy(): int
    {
        return max($this->mostInFlight(), $this->iterations->mostActive ?? 0);
    }

    private function perSecond(int $count): float
    {
        return $this->seconds > 0.0 ? $count / $this->seconds : 0.0;
    }
}
