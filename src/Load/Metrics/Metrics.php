<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Transport\Exchange;

/**
 * Everything that a run has counted so far.
 *
 * @internal
 */
final class Metrics
{
    /** The time over which progress shows rates and percentiles. */
    private const RECENT_SECONDS = 3.0;

    public readonly Histogram $succeeded;

    public readonly Histogram $httpErrors;

    /** Responses with an accepted status and an unexpected body. */
    public readonly Histogram $wrong;

    public readonly Histogram $timeouts;

    private Interval $interval;

    private int $intervalEnd;

    /** @var array<int, int> by status */
    public array $statuses = [];

    /** @var array<string, FailureCount> */
    public array $failures = [];

    public int $bytes = 0;

    public int $connections = 0;

    public int $resent = 0;

    public int $unfinished = 0;

    /** Response times from the moment of sending; null in the closed model. */
    public readonly ?Histogram $service;

    /** From the moment at which requests were due to the moment of sending; null in the closed model. */
    public readonly ?Histogram $delay;

    /** The Server header of the first response. */
    public ?string $server = null;

    /** The Location header of the first response. */
    public ?string $location = null;

    public int $late = 0;

    public int $dropped = 0;

    /** Null without a scenario. */
    public ?Iterations $iterations = null;

    /** Null without a replay. */
    public ?ReplaySummary $log = null;

    public function __construct(private readonly Plan $plan, public readonly TimeSeries $timeline = new TimeSeries)
    {
        $this->service = $plan->isOpen ? new Histogram : null;
        $this->delay = $plan->isOpen ? new Histogram : null;
        $this->wrong = new Histogram;
        $this->succeeded = new Histogram;
        $this->httpErrors = new Histogram;
        $this->timeouts = new Histogram;
        $this->interval = $this->timeline->current();
        $this->intervalEnd = $this->timeline->end();
    }

    /** Everything counted from now on happened at this time, in nanoseconds from the start of the run. */
    public function advance(int $nanos, int $inFlight): void
    {
        if ($nanos >= $this->intervalEnd) {
            $this->timeline->advance($nanos, $inFlight);
            $this->interval = $this->timeline->current();
            $this->intervalEnd = $this->timeline->end();
        }
    }

    /** @param ?int $delay microseconds since the request was due; null if it had no due time */
    public function started(int $inFlight, ?int $delay = 0): void
    {
        if ($delay !== null) {
            $this->delay?->record($delay);
            $this->late += $delay > Schedule::LATE_MICROS ? 1 : 0;
        }

        $this->interval->sent++;

        if ($inFlight > $this->interval->inFlight) {
            $this->interval->inFlight = $inFlight;
        }
    }

    public function exchanged(Exchange $exchange): void
    {
        $this->bytes += $exchange->bytes;
        $this->connections += $exchange->connections;
        $this->resent += $exchange->isResent ? 1 : 0;
    }

    /**
     * @param int $micros from the moment of sending
     * @param int $delay microseconds from the moment at which the request was due
     * @param ?FailedCheck $check what the body of an accepted response lacks
     * @param ?bool $isAccepted whether the status counts as a success; null if the plan decides
     */
    public function responded(
        int $status,
        int $micros,
        int $delay = 0,
        ?FailedCheck $check = null,
        ?bool $isAccepted = null,
    ): ?Failure {
        $isAccepted ??= $this->plan->accepts($status);
        $this->service?->record($micros);
        $micros += $delay;
        $this->statuses[$status] = ($this->statuses[$status] ?? 0) + 1;
        $interval = $this->interval;
        $interval->latency->record($micros);

        if (! $isAccepted) {
            $this->httpErrors->record($micros);
            $interval->failed("status_{$status}");
        } elseif ($check !== null) {
            $this->wrong->record($micros);
            $this->countFailure($check->failure, $check->message);

            return $check->failure;
        } else {
            $this->succeeded->record($micros);
            $interval->succeeded++;
        }

        return null;
    }

    public function progress(float $seconds, int $inFlight): Progress
    {
        $succeeded = $this->succeeded->count();
        $errors = $this->httpErrors->count()
            + array_sum(array_map(static fn (FailureCount $failure): int => $failure->count, $this->failures));
        $width = $this->timeline->width();
        $intervals = $this->timeline->intervals();
        // Two at least: the last one may have begun a moment ago.
        $recent = array_slice($intervals, -max(2, (int) ceil(self::RECENT_SECONDS / $width)));
        $sum = new Interval;
        array_map($sum->append(...), $recent);
        $length = $seconds - (count($intervals) - count($recent)) * $width;

        return new Progress(
            $seconds,
            $succeeded + $errors + $inFlight,
            $succeeded,
            $errors,
            $inFlight,
            ($sum->succeeded + $sum->errors()) / max(0.001, $length),
            $sum->latency->percentile(95),
            $sum->latency,
        );
    }

    public function failed(Failure $failure, string $message, int $micros, int $delay = 0): void
    {
        $this->countFailure($failure, $message);

        if ($failure->outcome() === Outcome::Timeout) {
            $this->timeouts->record($micros + $delay);
            $this->interval->latency->record($micros + $delay);
        }
    }

    /** Adds the metrics of another process of the run. */
    public function merge(self $other): void
    {
        $this->succeeded->merge($other->succeeded);
        $this->httpErrors->merge($other->httpErrors);
        $this->wrong->merge($other->wrong);
        $this->timeouts->merge($other->timeouts);

        foreach ($other->statuses as $status => $count) {
            $this->statuses[$status] = ($this->statuses[$status] ?? 0) + $count;
        }

        foreach ($other->failures as $kind => $count) {
            $before = $this->failures[$kind] ?? null;
            $this->failures[$kind] = new FailureCount(
                $count->failure,
                ($before->count ?? 0) + $count->count,
                $before->message ?? $count->message,
            );
        }

        $this->timeline->merge($other->timeline);
        $other->service === null ? null : $this->service?->merge($other->service);
        $other->delay === null ? null : $this->delay?->merge($other->delay);
        $this->bytes += $other->bytes;
        $this->connections += $other->connections;
        $this->resent += $other->resent;
        $this->unfinished += $other->unfinished;
        $this->late += $other->late;
        $this->dropped += $other->dropped;
        $this->server ??= $other->server;
        $this->location ??= $other->location;

        if ($this->iterations === null || $other->iterations === null) {
            $this->iterations ??= $other->iterations;
        } else {
            $this->iterations->merge($other->iterations);
        }

        // Each process has read the whole log.
        $this->log = $this->log === null || ($other->log !== null && $other->log->lines > $this->log->lines)
            ? $other->log
            : $this->log;
    }

    private function countFailure(Failure $failure, string $message): void
    {
        $before = $this->failures[$failure->value] ?? null;
        $this->failures[$failure->value] = new FailureCount(
            $failure,
            ($before->count ?? 0) + 1,
            $before->message ?? $message,
        );
        $this->interval->failed($failure->value);
    }
}
