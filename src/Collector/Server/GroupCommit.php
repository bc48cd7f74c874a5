<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\DeadLetters;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Core\Clock;
use Headroom\Spool\Buffer;
use Headroom\Spool\UnableToAppend;
use React\EventLoop\LoopInterface;
use Throwable;

/**
 * Puts the events of all requests of one tick of the loop into the buffer, with one append per bucket where they are
 * not too large for that, and answers them when it has returned: they wait for the disk together.
 *
 * @internal
 */
final class GroupCommit
{
    /** Of a frame: Bucket. */
    private const MAX_EVENTS = 65_535;

    private const MAX_BYTES = 8_388_607;

    /**
     * Of an append, but for a request that has more alone: what PHP needs for more than this it takes from the system
     * and gives back each time (`PART=durable make bench-collector` shows it, with 100 events a request).
     */
    private const APPEND_BYTES = 262_144;

    private const SLOW_NANOS = 100_000_000;

    private const REST_SECONDS = 0.2;

    /** @var array<string, list<array{IngestResult, PendingRequest, Request}>> by bucket */
    private array $waiting = [];

    /** @var array<string, array{string, int}> lines and their number, by the bucket that keeps what was not taken */
    private array $rejected = [];

    private bool $isDue = false;

    /** @var array<string, int> nanoseconds, by what was told */
    private array $toldAt = [];

    /** @var array<string, int> nanoseconds of the last append, by bucket of which this process may keep a slot */
    private array $kept = [];

    private bool $isToRest = false;

    /**
     * @param Closure(UnableToAppend, ?Request): Response $refused
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly Buffer $buffer,
        private readonly Closure $refused,
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly MetricsRegistry $meter,
        private readonly Closure $say,
    ) {
        $buffer->keepSegmentsOpen();
    }

    public function add(IngestResult $decision, PendingRequest $exchange, Request $request): void
    {
        foreach ($decision->refusals as $reason => $events) {
            $this->meter->count('headroom_events_rejected_total{reason="'.$reason.'"}', $events);
        }

        if ($decision->rejected !== null) {
            $this->reject($decision->rejected);
        }

        if ($decision->count === 0) {
            $exchange->settle($decision->answer);

            return;
        }

        $this->waiting[$decision->bucket][] = [$decision, $exchange, $request];
        $this->beDue();
    }

    private function beDue(): void
    {
        if (! $this->isDue) {
            $this->isDue = true;
            // Everything that is readable now is read before.
            $this->loop->futureTick($this->run(...));
        }
    }

    private function reject(DeadLetters $events): void
    {
        [$lines, $count] = $this->rejected[$events->bucket] ?? ['', 0];

        if ($count + $events->count > self::MAX_EVENTS || strlen($lines) + strlen($events->lines) >= self::MAX_BYTES) {
            $this->bury();
            [$lines, $count] = ['', 0];
        }

        $this->rejected[$events->bucket] = [
            $lines === '' ? $events->lines : "{$lines}\n{$events->lines}", $count + $events->count,
        ];
        $this->beDue();
    }

    /** Their clients have been told: whether it succeeds is counted, and changes no answer. */
    private function bury(): void
    {
        [$rejected, $this->rejected] = [$this->rejected, []];

        foreach ($rejected as $bucket => [$lines, $count]) {
            if ($this->appended($bucket, $lines, max(1, $count), 'headroom_events_buried_total') === null) {
                $this->keep($bucket, $this->clock->monotonicNanos());
            }
        }
    }

    public function run(): void
    {
        $this->isDue = false;
        [$waiting, $this->waiting] = [$this->waiting, []];

        foreach ($waiting as $bucket => $all) {
            foreach ($this->frames($all) as $part) {
                $this->append($bucket, $part);
            }
        }

        foreach ($waiting as $all) {
            foreach ($all as [, $exchange]) {
                $exchange->connection()->write();
            }
        }

        $this->bury();
    }

    private function keep(string $bucket, int $now): void
    {
        $this->kept[$bucket] = $now;

        if (! $this->isToRest) {
            $this->rest();
        }
    }

    /**
     * What is kept for the next append is given back when there was none for a while:
     * until then nobody can deliver what is in it.
     */
    private function rest(): void
    {
        $now = $this->clock->monotonicNanos();

        foreach ($this->kept as $bucket => $at) {
            if ($now - $at >= (int) (self::REST_SECONDS * 1_000_000_000)) {
                $this->buffer->reopenSegment($bucket);
                unset($this->kept[$bucket]);
            }
        }

        $this->isToRest = $this->kept !== [];

        if ($this->isToRest) {
            $this->loop->addTimer(self::REST_SECONDS, $this->rest(...));
        }
    }

    public function end(): void
    {
        $this->run();
        $this->buffer->closeSegments();
    }

    /**
     * @param list<array{IngestResult, PendingRequest, Request}> $all
     * @return list<non-empty-list<array{IngestResult, PendingRequest, Request}>>
     */
    private function frames(array $all): array
    {
        $frames = [];
        $part = [];
        [$events, $bytes] = [0, 0];

        foreach ($all as $one) {
            $size = strlen($one[0]->lines) + 1;

            if ($part !== [] && ($events + $one[0]->count > self::MAX_EVENTS || $bytes + $size > self::APPEND_BYTES)) {
                $frames[] = $part;
                $part = [];
                [$events, $bytes] = [0, 0];
            }

            $part[] = $one;
            $events += $one[0]->count;
            $bytes += $size;
        }

        return $part === [] ? $frames : [...$frames, $part];
    }

    /** @param non-empty-list<array{IngestResult, PendingRequest, Request}> $part */
    private function append(string $bucket, array $part): void
    {
        $lines = [];
        $count = 0;

        foreach ($part as [$decision]) {
            $lines[] = $decision->lines;
            $count += $decision->count;
        }

        $before = $this->clock->monotonicNanos();
        $refusal = $this->appended($bucket, implode("\n", $lines), max(1, $count));
        $now = $this->clock->monotonicNanos();

        if ($refusal === null) {
            $this->keep($bucket, $now);
        }

        if ($now - $before > self::SLOW_NANOS) {
            $this->tell(
                'slow',
                sprintf(
                    'the disk kept the loop for %d ms with an append to bucket %s',
                    intdiv($now - $before, 1_000_000),
                    $bucket,
                ),
            );
        }

        foreach ($part as [$decision, $exchange, $request]) {
            $exchange->settle($refusal === null ? $decision->answer : $this->refusal($refusal, $request));
            $this->meter->ack($now - $exchange->startedAt);
        }
    }

    /**
     * @param int<1, max> $count
     * @return ?Throwable why not
     */
    private function appended(
        string $bucket,
        string $lines,
        int $count,
        string $counter = 'headroom_events_accepted_total',
    ): ?Throwable {
        try {
            $this->buffer->bucket($bucket)->append($lines, $count);
            $this->meter->count('headroom_commits_total');
            $this->meter->count($counter, $count);

            return null;
        } catch (UnableToAppend $e) {
            $this->meter->count('headroom_events_refused_total{reason="'.$e->failure->value.'"}', $count);
            $this->tell('refused', "{$count} events could not be taken: {$e->getMessage()}");

            return $e;
        } catch (Throwable $e) {
            $this->meter->count('headroom_events_refused_total{reason="error"}', $count);
            $this->tell(
                'refused',
                sprintf(
                    '%d events could not be taken: %s: %s (%s:%d)',
                    $count,
                    $e::class,
                    $e->getMessage(),
                    $e->getFile(),
                    $e->getLine(),
                ),
            );

            return $e;
        }
    }

    private function refusal(Throwable $why, Request $request): Response
    {
        return $why instanceof UnableToAppend
            ? ($this->refused)($why, $request)
            : Problem::response(
                500,
                'internal_error',
                'The buffer failed; the log of the collector says how. Nothing of this was accepted.',
            );
    }

    /** A full disk is told once a second, not once a request. */
    private function tell(string $kind, string $what): void
    {
        $now = $this->clock->monotonicNanos();

        if ($now - ($this->toldAt[$kind] ?? 0) > 1_000_000_000) {
            $this->toldAt[$kind] = $now;
            ($this->say)($what);
        }
    }
}
