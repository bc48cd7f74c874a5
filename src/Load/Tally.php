<?php

declare(strict_types=1);

namespace Headroom\Load;

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

    public readonly Timeline $timeline;

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

    public int $late = 0;

    public int $dropped = 0;

    public function __construct(private readonly Plan $plan)
    {
        $this->service = $plan->isOpen ? new Histogram : null;
        $this->delay = $plan->isOpen ? new Histogram : null;
        $this->wrong = new Histogram;
        $this->succeeded = new Histogram;
        $this->httpErrors = new Histogram;
        $this->timeouts = new Histogram;
        $this->timeline = new Timeline;
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

    /** @param int $waited microseconds since it was due */
    public function began(int $inFlight, int $waited = 0): void
    {
        $this->delay?->record($waited);
        $this->late += $waited > Schedule::LATE_MICROS ? 1 : 0;
        $this->slot->sent++;

        if ($inFlight > $this->slot->inFlight) {
            $this->slot->inFlight = $inFlight;
        }
    }

    /**
     * @param int $micros from its beginning
     * @param bool $hasBody whether the body was as expected
     */
    public function answered(int $status, int $micros, int $waited = 0, bool $hasBody = true): ?Failure
    {
        $this->service?->record($micros);
        $micros += $waited;
        $this->statuses[$status] = ($this->statuses[$status] ?? 0) + 1;
        $slot = $this->slot;
        $slot->latency->record($micros);

        if (! $this->plan->accepts($status)) {
            $this->httpErrors->record($micros);
            $slot->failed("status_{$status}");
        } elseif (! $hasBody) {
            $this->wrong->record($micros);
            $this->fail(Failure::UnexpectedBody, 'the body does not contain the expected text');

            return Failure::UnexpectedBody;
        } else {
            $this->succeeded->record($micros);
            $slot->succeeded++;
        }

        return null;
    }

    public function progress(float $seconds, int $inFlight): Progress
    {
        $succeeded = $this->succeeded->count();
        $errors = $this->httpErrors->count() + array_sum(array_map(static fn (FailureCount $failure): int => $failure->count, $this->failures));
        $width = $this->timeline->width();
        $slots = $this->timeline->slots();
        // Two at least: the last may have begun just now.
        $recent = array_slice($slots, -max(2, (int) ceil(self::RECENT_SECONDS / $width)));
        $sum = new Slot;
        array_map($sum->absorb(...), $recent);
        $length = $seconds - (count($slots) - count($recent)) * $width;

        return new Progress($seconds, $succeeded + $errors + $inFlight, $succeeded, $errors, $inFlight, ($sum->succeeded + $sum->errors()) / max(0.001, $length), $sum->latency->percentile(95));
    }

    public function failed(Failure $failure, string $message, int $micros, int $waited = 0): void
    {
        $this->fail($failure, $message);

        if ($failure->outcome() === Outcome::Timeout) {
            $this->timeouts->record($micros + $waited);
            $this->slot->latency->record($micros + $waited);
        }
    }

    private function fail(Failure $failure, string $message): void
    {
        $before = $this->failures[$failure->value] ?? null;
        $this->failures[$failure->value] = new FailureCount($failure, ($before->count ?? 0) + 1, $before->message ?? $message);
        $this->slot->failed($failure->value);
    }
}
