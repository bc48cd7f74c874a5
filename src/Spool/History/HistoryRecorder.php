<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

use Closure;
use Headroom\Core\Clock;
use Throwable;

/**
 * Records what the flushes of this process do, minute by minute. The first flush in a minute also counts the bucket:
 * after it has delivered, when few events are left to count. The events that it has delivered count as waiting, because
 * they waited for it. A request that appends records nothing.
 *
 * A worker flushes many times a second, so the numbers of a bucket are written once a second at most. A process that
 * ends in between loses the numbers of that second; the totals of the next observation include its events.
 *
 * @internal
 */
final class HistoryRecorder
{
    private const WRITE_NANOS = 1_000_000_000;

    private const SLOW_MICROS = 500_000;

    /** @var array<array-key, HistoryMinute> not written yet, by bucket */
    private array $pending = [];

    /** @var array<array-key, int> time of the monotonic clock in nanoseconds, by bucket */
    private array $writtenAt = [];

    /** @var array<array-key, int> the last minute in which this process looked, by bucket */
    private array $observedIn = [];

    /** @var array<array-key, int> when the first event of the current flush was accepted, microseconds, by bucket */
    private array $oldest = [];

    /**
     * @param Closure(string): HistoryFile $files
     * @param Closure(string, int): ?HistoryMinute $observer counts a bucket in a minute
     */
    public function __construct(
        private readonly Closure $files,
        private readonly Closure $observer,
        private readonly Clock $clock,
    ) {}

    /**
     * Called after each flush, also after one that was too early, paused or found the bucket busy, and in each round of
     * a worker. It looks at the file once a minute.
     *
     * @param int $waited events that this flush has just delivered
     */
    public function observe(string $bucket, int $waited = 0): void
    {
        $minute = $this->now();

        if (($this->observedIn[$bucket] ?? null) !== $minute) {
            $this->observedIn[$bucket] = $minute;
            self::quietly(fn () => $this->count($bucket, $minute, $waited));
        }
    }

    /**
     * @param int $nanos that the sink and saving the cursor took
     * @param ?Closure(): int $acceptedAt time of the first event in microseconds since the Unix epoch
     */
    public function batch(string $bucket, int $events, int $nanos, ?Closure $acceptedAt = null): void
    {
        $minute = $this->now();

        if ($acceptedAt !== null && ($this->observedIn[$bucket] ?? null) !== $minute) {
            $this->oldest[$bucket] ??= $acceptedAt();
        }

        // A long flush is recorded in each of its minutes.
        if (isset($this->pending[$bucket]) && $this->pending[$bucket]->minute !== $minute) {
            $this->write($bucket);
            $this->observe($bucket);
        }

        $micros = intdiv($nanos, 1_000);
        $this->add($bucket, new HistoryMinute(
            $minute,
            batches: 1,
            events: $events,
            largestBatch: $events,
            deliveryMicros: $micros,
            slowestMicros: $micros,
        ));
    }

    /**
     * Called after each flush.
     *
     * @param int $events that it delivered, or made dead letters of
     * @param ?string $failure why it failed
     */
    public function flushed(string $bucket, int $events, ?string $failure): void
    {
        $this->observe($bucket, $events);
        unset($this->oldest[$bucket]);

        if ($events > 0 || $failure !== null) {
            $this->add($bucket, new HistoryMinute($this->now(), flushes: 1, failed: $failure === null ? 0 : 1));
        }

        $isDue = isset($this->pending[$bucket])
            && $this->clock->monotonicNanos() - ($this->writtenAt[$bucket] ?? 0) >= self::WRITE_NANOS;

        if ($isDue || $failure !== null) {
            $this->write($bucket, $failure);
            $this->writtenAt[$bucket] = $this->clock->monotonicNanos();
        }
    }

    /** Called before a process ends that has flushed again and again. */
    public function finish(): void
    {
        foreach (array_keys($this->pending) as $bucket) {
            $this->write((string) $bucket);
        }
    }

    private function add(string $bucket, HistoryMinute $more): void
    {
        $pending = $this->pending[$bucket] ?? null;

        if ($pending !== null && $pending->minute !== $more->minute) {
            $this->write($bucket);
            $pending = null;
        }

        $this->pending[$bucket] = $pending?->plus($more) ?? $more;
    }

    private function write(string $bucket, ?string $failure = null): void
    {
        $pending = $this->pending[$bucket] ?? null;
        unset($this->pending[$bucket]);
        self::quietly(function () use ($bucket, $pending, $failure): void {
            $writer = HistoryWriter::open(($this->files)($bucket), $this->clock);
            $pending === null ? null : $writer?->add($pending);
            $failure === null ? null : $writer?->addFailure($this->clock->micros(), $failure);
            $writer?->close();
        });
    }

    private function count(string $bucket, int $minute, int $waited): void
    {
        $file = ($this->files)($bucket);

        if (! $this->mayCount($file, $minute)) {
            return;
        }

        $start = $this->clock->monotonicNanos();
        $seen = null;

        try {
            $seen = ($this->observer)($bucket, $minute)?->with($waited, $this->ageOfOldest($bucket));
        } finally {
            $micros = intdiv($this->clock->monotonicNanos() - $start, 1_000);
            $writer = HistoryWriter::open($file, $this->clock);
            $seen === null ? null : $writer?->add($seen);
            $writer?->saveProgress(
                ($writer->progress() ?? new HistoryProgress)->counted($this->clock->micros(), $micros),
            );
            $writer?->close();
        }
    }

    /** @return ?int milliseconds that the first event of the current flush has waited */
    private function ageOfOldest(string $bucket): ?int
    {
        return isset($this->oldest[$bucket])
            ? max(0, intdiv($this->clock->micros() - $this->oldest[$bucket], 1_000))
            : null;
    }

    /** Another process may have observed the bucket in this minute, or counting may take too long to do it again. */
    private function mayCount(HistoryFile $file, int $minute): bool
    {
        $now = $this->clock->micros();
        $writer = HistoryWriter::open($file, $this->clock);

        if ($writer === null) {
            return false;
        }

        $progress = $writer->progress() ?? new HistoryProgress;
        $isDue = $writer->minute($minute)?->isObserved() !== true && $progress->mayCount($now);

        // Other processes must not begin to count while this one does, which may take minutes.
        if ($isDue && $progress->countMicros > self::SLOW_MICROS) {
            $writer->saveProgress($progress->counted($now, $progress->countMicros));
        }

        $writer->close();

        return $isDue;
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 60_000_000);
    }

    /** @param Closure(): void $record */
    private static function quietly(Closure $record): void
    {
        try {
            $record();
        } catch (Throwable) {
            // A flush must not fail because of its history. The health checks report a directory that is not writable.
        }
    }
}
