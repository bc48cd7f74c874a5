<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What a run did: sent = succeeded + httpErrors + wrongAnswers + timeouts + connectErrors + otherErrors + unfinished,
 * always.
 */
final readonly class LoadResult
{
    public const BUILT_IN_SERVER = "PHP's built-in server";

    /** A share of requests, or of a scenario's iterations, that may begin late: any machine looks away for a moment. */
    private const FEW_LATE = 0.01;

    /** From this share of one core on, a slow answer may be this client's fault. */
    private const CPU_LIMIT = 0.9;

    /** Those that browsers follow (RFC 9110, section 15.4). */
    private const REDIRECTS = [301, 302, 303, 307, 308];

    /** The CPU time of a shorter run says nothing. */
    private const MEASURABLE_SECONDS = 0.1;

    /**
     * @param float $seconds from the first request to the end of the run
     * @param float $cpuShare of one core that was used meanwhile, by all processes together
     * @param float $busiest the same of the process that used most
     * @param list<string> $lost what happened to processes whose part is not in these figures
     * @param int $unfinished in flight when the run ended
     * @param int $resent of those sent, how many went out a second time on a new connection
     * @param int $bytes of the bodies that arrived
     * @param array<int, int> $statuses answers by status
     * @param list<FailureCount> $failures the most frequent first
     * @param ?string $server what the first answer called itself, or BUILT_IN_SERVER
     * @param ?string $location where it leads
     * @param ?int $startedNanos of the clock that all processes of the machine share; null in a result made up
     * @param ?Schedule $schedule null in the closed model, where requests are not due at fixed times
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
        public Timeline $timeline,
        public ?Schedule $schedule,
        public ?string $server,
        private ?string $location,
        public ?int $startedNanos,
        public ?Journeys $journeys,
        public ?ReplayedLog $log,
        private Histogram $succeeded,
        private Histogram $httpErrors,
        private Histogram $wrong,
        private Histogram $timeouts,
        private ?Histogram $service,
    ) {}

    /**
     * @internal
     *
     * @param list<Measurement> $parts what each process saw; the first is added to
     * @param list<string> $lost
     */
    public static function of(Plan $plan, array $parts, array $lost = []): self
    {
        $tally = $parts[0]->tally ?? new Tally($plan);

        foreach (array_slice($parts, 1) as $part) {
            $tally->absorb($part->tally);
        }

        $seconds = max([0.0, ...array_map(static fn (Measurement $part): float => $part->seconds, $parts)]);
        $shares = array_map(static fn (Measurement $part): float => $part->cpuShare(), $parts);
        $started = array_filter(
            array_map(static fn (Measurement $part): ?int => $part->startedNanos, $parts),
            is_int(...),
        );
        $statuses = $tally->statuses;
        ksort($statuses);
        $failures = array_values($tally->failures);
        usort($failures, static fn (FailureCount $a, FailureCount $b): int => $b->count <=> $a->count);

        return new self(
            $plan,
            $seconds,
            array_sum($shares),
            max([0.0, ...$shares]),
            $lost,
            in_array(true, array_map(static fn (Measurement $part): bool => $part->stoppedEarly, $parts), true),
            $tally->unfinished,
            $tally->resent,
            $tally->bytes,
            $tally->connections,
            $statuses,
            $failures,
            $tally->timeline,
            $tally->delay === null ? null : new Schedule($tally->late, $tally->dropped, $tally->delay),
            $tally->server,
            $tally->location,
            $started === [] ? null : min($started),
            $tally->journeys,
            $tally->log,
            $tally->succeeded,
            $tally->httpErrors,
            $tally->wrong,
            $tally->timeouts,
            $tally->service,
        );
    }

    /** Where all answers lead, when each is a redirect that was not asked for: the page was not measured. Else null. */
    public function leadsElsewhere(): ?string
    {
        $others = array_diff_key($this->statuses, array_flip(self::REDIRECTS));
        $isAsked = ($this->plan->expected->statuses ?? []) !== [];

        $isOther = $this->statuses === [] || $others !== [] || $isAsked;

        return $isOther || $this->journeys !== null || $this->log !== null ? null : $this->location ?? '';
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
            Outcome::WrongAnswer, Outcome::Timeout, Outcome::ConnectError, Outcome::OtherError => array_sum(array_map(
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

    /** Of all that ended, how many did not succeed; null when none has ended. */
    public function errorRate(): ?float
    {
        return $this->finished() === 0 ? null : ($this->finished() - $this->succeeded()) / $this->finished();
    }

    /** Whole answers per second, whatever their status. */
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
        return max(array_map(static fn (Slot $slot): int => $slot->inFlight, $this->timeline->slots()));
    }

    /** Response times of what succeeded. */
    public function latencySucceeded(): Histogram
    {
        return $this->succeeded;
    }

    /** Response times of all whole answers: a quick error page counts like a good one. */
    public function latency(): Histogram
    {
        return $this->succeeded->merge($this->httpErrors)->merge($this->wrong);
    }

    /** As latency(), with each timed-out request at the moment it was given up: the truth is no better than this. */
    public function latencyWithTimeouts(): Histogram
    {
        return $this->latency()->merge($this->timeouts);
    }

    /**
     * As latency(), counted from when each request began and not from when it was due:
     * what the server alone made of it.
     */
    public function serviceTime(): Histogram
    {
        return $this->service ?? $this->latency();
    }

    /** Whether the figures may show the limit of this machine or process and not the server's. */
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
            ...($this->isLate() && $this->mostUnderWay() < $this->plan->concurrency ? [ClientLimit::LateStarts] : []),
            ...($ports === [] ? [] : [ClientLimit::LocalPorts]),
        ];
    }

    /** Whether so many requests, or iterations of a scenario, began late, or never, that it is worth a word. */
    public function isLate(): bool
    {
        return $this->schedule !== null
            && ($this->schedule->dropped > 0
                || $this->schedule->late > self::FEW_LATE * ($this->journeys->begun ?? $this->sent()));
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
            // An object in JSON, even when empty or when the keys happen to count from 0.
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
            'scenario' => $this->journeys?->toArray(),
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

    /**
     * Of what the plan allows so many at once: requests, or iterations of a scenario,
     * in which some think and send nothing.
     */
    private function mostUnderWay(): int
    {
        return max($this->mostInFlight(), $this->journeys->underWay ?? 0);
    }

    private function perSecond(int $count): float
    {
        return $this->seconds > 0.0 ? $count / $this->seconds : 0.0;
    }
}
