<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Load\Transport\Exchange;

/**
 * What has happened so far.
 *
 * @internal
 */
final class Tally
{
    /** What a look at a run that is under way calls now. */
    private const RECENT_SECONDS = 3.0;

    public readonly Histogram $succeeded;

    public readonly Histogram $httpErrors;

    /** Answers with a status that was expected, and a body that was not. */
    public readonly Histogram $wrong;

    public readonly Histogram $timeouts;

    private Slot $slot;

    private int $slotEnd;

    /** @var array<int, int> by status */
    public array $statuses = [];

    /** @var array<string, FailureCount> */
    public array $failures = [];

    public int $bytes = 0;

    public int $connections = 0;

    public int $resent = 0;

    public int $unfinished = 0;

    /** Set when requests are due at fixed times. */
    public readonly ?Histogram $service;

    public readonly ?Histogram $delay;

    /** What the first answer called the server. */
    public ?string $server = null;

    /** Where the first answer leads, when it is a redirect. */
    public ?string $location = null;

    public int $late = 0;

    public int $dropped = 0;

    /** Set when a scenario is gone through. */
    public ?Journeys $journeys = null;

    /** Set when a log is replayed. */
    public ?ReplayedLog $log = null;

    public function __construct(private readonly Plan $plan, public readonly Timeline $timeline = new Timeline)
    {
        $this->service = $plan->isOpen ? new Histogram : null;
        $this->delay = $plan->isOpen ? new Histogram : null;
        $this->wrong = new Histogram;
        $this->succeeded = new Histogram;
        $this->httpErrors = new Histogram;
        $this->timeouts = new Histogram;
        $this->slot = $this->timeline->current();
        $this->slotEnd = $this->timeline->end();
    }

    /** What is told from now on happened at this time, in nanoseconds from the start of the run. */
    public function advance(int $nanos, int $inFlight): void
    {
        if ($nanos >= $this->slotEnd) {
            $this->timeline->advance($nanos, $inFlight);
            $this->slot = $this->timeline->current();
            $this->slotEnd = $this->timeline->end();
        }
    }

    /** @param ?int $waited microseconds since it was due; null when it was due at no time of its own */
    public function began(int $inFlight, ?int $waited = 0): void
    {
        if ($waited !== null) {
            $this->delay?->record($waited);
            $this->late += $waited > Schedule::LATE_MICROS ? 1 : 0;
        }

        $this->slot->sent++;

        if ($inFlight > $this->slot->inFlight) {
            $this->slot->inFlight = $inFlight;
        }
    }

    /** What it took to get an answer, or none. */
    public function took(Exchange $exchange): void
    {
        $this->bytes += $exchange->bytes;
        $this->connections += $exchange->connections;
        $this->resent += $exchange->isResent ? 1 : 0;
    }

    /**
     * @param int $micros from its beginning
     * @param ?WrongBody $wrong what is wrong with its body
     */
    public function answered(int $status, int $micros, int $waited = 0, ?WrongBody $wrong = null): ?Failure
    {
        return $this->judged($status, $this->plan->accepts($status), $wrong, $micros, $waited);
    }

    /** @param ?WrongBody $wrong what is wrong with an answer whose status is accepted */
    public function judged(int $status, bool $isAccepted, ?WrongBody $wrong, int $micros, int $waited): ?Failure
    {
        $this->service?->record($micros);
        $micros += $waited;
        $this->statuses[$status] = ($this->statuses[$status] ?? 0) + 1;
        $slot = $this->slot;
        $slot->latency->record($micros);

        if (! $isAccepted) {
            $this->httpErrors->record($micros);
            $slot->failed("status_{$status}");
        } elseif ($wrong !== null) {
            $this->wrong->record($micros);
            $this->fail($wrong->failure, $wrong->message);

            return $wrong->failure;
        } else {
            $this->succeeded->record($micros);
            $slot->succeeded++;
        }

        return null;
    }

    public function progress(float $seconds, int $inFlight): Progress
    {
        $succeeded = $this->succeeded->count();
        $errors = $this->httpErrors->count()
            + array_sum(array_map(static fn (FailureCount $failure): int => $failure->count, $this->failures));
        $width = $this->timeline->width();
        $slots = $this->timeline->slots();
        // Two at least: the last may have begun just now.
        $recent = array_slice($slots, -max(2, (int) ceil(self::RECENT_SECONDS / $width)));
        $sum = new Slot;
        array_map($sum->absorb(...), $recent);
        $length = $seconds - (count($slots) - count($recent)) * $width;

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

    public function failed(Failure $failure, string $message, int $micros, int $waited = 0): void
    {
        $this->fail($failure, $message);

        if ($failure->outcome() === Outcome::Timeout) {
            $this->timeouts->record($micros + $waited);
            $this->slot->latency->record($micros + $waited);
        }
    }

    /** Takes in what another process saw of the same run. */
    public function absorb(self $other): void
    {
        $this->succeeded->absorb($other->succeeded);
        $this->httpErrors->absorb($other->httpErrors);
        $this->wrong->absorb($other->wrong);
        $this->timeouts->absorb($other->timeouts);

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

        $this->timeline->absorb($other->timeline);
        $other->service === null ? null : $this->service?->absorb($other->service);
        $other->delay === null ? null : $this->delay?->absorb($other->delay);
        $this->bytes += $other->bytes;
        $this->connections += $other->connections;
        $this->resent += $other->resent;
        $this->unfinished += $other->unfinished;
        $this->late += $other->late;
        $this->dropped += $other->dropped;
        $this->server ??= $other->server;
        $this->location ??= $other->location;

        if ($this->journeys === null || $other->journeys === null) {
            $this->journeys ??= $other->journeys;
        } else {
            $this->journeys->absorb($other->journeys);
        }

        // Each has read the whole log.
        $this->log = $this->log === null || ($other->log !== null && $other->log->lines > $this->log->lines)
            ? $other->log
            : $this->log;
    }

    private function fail(Failure $failure, string $message): void
    {
        $before = $this->failures[$failure->value] ?? null;
        $this->failures[$failure->value] = new FailureCount(
            $failure,
            ($before->count ?? 0) + 1,
            $before->message ?? $message,
        );
        $this->slot->failed($failure->value);
    }
}
