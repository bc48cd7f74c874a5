<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\DeadLetters;
use Headroom\Collector\Ingest\AppendOutcome;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Core\Clock;
use Headroom\Spool\Buffer;
use React\EventLoop\LoopInterface;

/**
 * Group commit: appends the events of all requests of one tick of the event loop together, so that their clients share
 * one wait for the disk. A bucket gets one append per tick, or several if there are many events.
 *
 * @internal
 */
final class GroupCommit
{
    /** Limits of the buffer for one append. */
    private const MAX_EVENTS = 65_535;

    private const MAX_BYTES = 8_388_607;

    /**
     * Most bytes of an append that combines several requests. PHP allocates larger strings from the system and frees
     * them each time, which is slow (see `PART=durable make bench-collector` with 100 events per request).
     */
    private const APPEND_BYTES = 262_144;

    private const SLOW_NANOS = 100_000_000;

    private const IDLE_SECONDS = 0.2;

    /** @var array<string, list<array{IngestResult, PendingRequest, Request}>> by bucket */
    private array $waiting = [];

    /** @var array<string, array{string, int}> encoded dead letters and their number, by bucket */
    private array $deadLetters = [];

    private bool $isScheduled = false;

    /** @var array<string, int> monotonic nanoseconds, by kind of message */
    private array $loggedAt = [];

    /** @var array<string, int> monotonic nanoseconds of the last append, by bucket with an open segment */
    private array $openSegments = [];

    private bool $hasReleaseTimer = false;

    /** @param Closure(string): void $log */
    public function __construct(
        private readonly Buffer $buffer,
        private readonly RequestHandler $handler,
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly MetricsRegistry $metrics,
        private readonly Closure $log,
    ) {
        $buffer->keepSegmentsOpen();
    }

    public function add(IngestResult $result, PendingRequest $pending, Request $request): void
    {
        foreach ($result->rejections as $reason => $events) {
            $this->metrics->increment('headroom_events_rejected_total{reason="'.$reason.'"}', $events);
        }

        if ($result->deadLetters !== null) {
            $this->addDeadLetters($result->deadLetters);
        }

        if ($result->count === 0) {
            $pending->complete($result->response);

            return;
        }

        $this->waiting[$result->bucket][] = [$result, $pending, $request];
        $this->schedule();
    }

    public function run(): void
    {
        $this->isScheduled = false;
        [$waiting, $this->waiting] = [$this->waiting, []];

        foreach ($waiting as $bucket => $all) {
            foreach ($this->groups($all) as $group) {
                $this->commit($bucket, $group);
            }
        }

        foreach ($waiting as $all) {
            foreach ($all as [, $pending]) {
                $pending->connection->write();
            }
        }

        // After the responses: no client waits for the disk because of a dead letter.
        $this->appendDeadLetters();
    }

    public function close(): void
    {
        $this->run();
        $this->buffer->closeSegments();
    }

    private function schedule(): void
    {
        if (! $this->isScheduled) {
            $this->isScheduled = true;
            // The loop reads all sockets that are readable now before it runs the next tick.
            $this->loop->futureTick($this->run(...));
        }
    }

    private function addDeadLetters(DeadLetters $letters): void
    {
        [$lines, $count] = $this->deadLetters[$letters->bucket] ?? ['', 0];

        if (
            $count + $letters->count > self::MAX_EVENTS
            || strlen($lines) + strlen($letters->lines) >= self::MAX_BYTES
        ) {
            $this->appendDeadLetters();
            [$lines, $count] = ['', 0];
        }

        $this->deadLetters[$letters->bucket] = [
            $lines === '' ? $letters->lines : "{$lines}\n{$letters->lines}", $count + $letters->count,
        ];
        $this->schedule();
    }

    private function appendDeadLetters(): void
    {
        [$letters, $this->deadLetters] = [$this->deadLetters, []];

        foreach ($letters as $bucket => [$lines, $count]) {
            $this->append($bucket, $lines, max(1, $count), 'headroom_events_dead_lettered_total');
        }
    }

    /**
     * @param list<array{IngestResult, PendingRequest, Request}> $all
     * @return list<non-empty-list<array{IngestResult, PendingRequest, Request}>>
     */
    private function groups(array $all): array
    {
        $groups = [];
        $group = [];
        [$events, $bytes] = [0, 0];

        foreach ($all as $entry) {
            $size = strlen($entry[0]->lines) + 1;

            if (
                $group !== []
                && ($events + $entry[0]->count > self::MAX_EVENTS || $bytes + $size > self::APPEND_BYTES)
            ) {
                $groups[] = $group;
                $group = [];
                [$events, $bytes] = [0, 0];
            }

            $group[] = $entry;
            $events += $entry[0]->count;
            $bytes += $size;
        }

        return $group === [] ? $groups : [...$groups, $group];
    }

    /** @param non-empty-list<array{IngestResult, PendingRequest, Request}> $group */
    private function commit(string $bucket, array $group): void
    {
        $lines = [];
        $count = 0;

        foreach ($group as [$result]) {
            $lines[] = $result->lines;
            $count += $result->count;
        }

        $before = $this->clock->monotonicNanos();
        $outcome = $this->append($bucket, implode("\n", $lines), max(1, $count));
        $now = $this->clock->monotonicNanos();

        if ($now - $before > self::SLOW_NANOS) {
            $this->logOncePerSecond('slow', sprintf(
                'an append to bucket %s blocked the event loop for %d ms',
                $bucket,
                intdiv($now - $before, 1_000_000),
            ));
        }

        foreach ($group as [$result, $pending, $request]) {
            $pending->complete($outcome->response($result->response, $this->handler, $request));
            $this->metrics->observeAcknowledgement($now - $pending->startedAt);
        }
    }

    /** @param int<1, max> $count */
    private function append(
        string $bucket,
        string $lines,
        int $count,
        string $series = 'headroom_events_accepted_total',
    ): AppendOutcome {
        $outcome = AppendOutcome::append($this->buffer, $bucket, $lines, $count, $series);

        foreach ($outcome->counters as $counter => $by) {
            $this->metrics->increment($counter, $by);
        }

        if ($outcome->failure === null) {
            $this->openSegments[$bucket] = $this->clock->monotonicNanos();
            $this->scheduleRelease();
        } else {
            $this->logOncePerSecond('refused', (string) $outcome->logMessage());
        }

        return $outcome;
    }

    private function scheduleRelease(): void
    {
        if (! $this->hasReleaseTimer) {
            $this->hasReleaseTimer = true;
            $this->loop->addTimer(self::IDLE_SECONDS, $this->releaseIdleSegments(...));
        }
    }

    /**
     * The flusher cannot deliver the events of a segment that this process holds open. The next append opens another.
     */
    private function releaseIdleSegments(): void
    {
        $this->hasReleaseTimer = false;
        $now = $this->clock->monotonicNanos();

        foreach ($this->openSegments as $bucket => $at) {
            if ($now - $at >= (int) (self::IDLE_SECONDS * 1_000_000_000)) {
                $this->buffer->releaseSegment($bucket);
                unset($this->openSegments[$bucket]);
            }
        }

        if ($this->openSegments !== []) {
            $this->scheduleRelease();
        }
    }

    private function logOncePerSecond(string $kind, string $message): void
    {
        $now = $this->clock->monotonicNanos();

        if ($now - ($this->loggedAt[$kind] ?? 0) > 1_000_000_000) {
            $this->loggedAt[$kind] = $now;
            ($this->log)($message);
        }
    }
}
