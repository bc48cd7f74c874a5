<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Intake\Decision;
use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use Headroom\Core\Clock;
use Headroom\Spool\Buffer;
use Headroom\Spool\UnableToAppend;
use React\EventLoop\LoopInterface;
use Throwable;

/**
 * Puts the events of all requests of one tick of the loop into the buffer with one append per bucket, and answers them when
 * that has returned: one wait for the disk for all of them.
 *
 * @internal
 */
final class Commit
{
    /** Of a frame: Bucket. */
    private const MAX_EVENTS = 65_535;

    private const MAX_BYTES = 8_388_607;

    private const SLOW_NANOS = 100_000_000;

    /** @var array<string, list<array{Decision, Exchange}>> by bucket */
    private array $waiting = [];

    private bool $isDue = false;

    private int $toldAt = 0;

    /** @var array<string, int> nanoseconds of the last append, by bucket of which this process may keep a slot */
    private array $kept = [];

    /**
     * @param Closure(UnableToAppend): Response $refused
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly Buffer $buffer,
        private readonly Closure $refused,
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly Meter $meter,
        private readonly Closure $say,
    ) {
        $buffer->keep();
    }

    public function add(Decision $decision, Exchange $exchange): void
    {
        if ($decision->count === 0) {
            $exchange->settle($decision->answer);

            return;
        }

        $this->waiting[$decision->bucket][] = [$decision, $exchange];

        if (! $this->isDue) {
            $this->isDue = true;
            // Everything that is readable now is read before.
            $this->loop->futureTick($this->run(...));
        }
    }

    public function run(): void
    {
        $this->isDue = false;
        [$waiting, $this->waiting] = [$this->waiting, []];

        foreach ($waiting as $bucket => $all) {
            foreach ($this->frames($all) as $part) {
                $this->append((string) $bucket, $part);
            }
        }

        foreach ($waiting as $all) {
            foreach ($all as [, $exchange]) {
                $exchange->connection()->write();
            }
        }
    }

    /**
     * What is kept for the next append is given back when there was none for a second: until then nobody can deliver what is in it.
     */
    public function rest(): void
    {
        $now = $this->clock->monotonicNanos();

        foreach ($this->kept as $bucket => $at) {
            if ($now - $at > 1_000_000_000) {
                $this->buffer->giveBack((string) $bucket);
                unset($this->kept[$bucket]);
            }
        }
    }

    public function end(): void
    {
        $this->run();
        $this->buffer->release();
    }

    /**
     * @param list<array{Decision, Exchange}> $all
     * @return list<non-empty-list<array{Decision, Exchange}>>
     */
    private function frames(array $all): array
    {
        $frames = [];
        $part = [];
        [$events, $bytes] = [0, 0];

        foreach ($all as $one) {
            $size = strlen($one[0]->lines) + 1;

            if ($part !== [] && ($events + $one[0]->count > self::MAX_EVENTS || $bytes + $size > self::MAX_BYTES)) {
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

    /** @param non-empty-list<array{Decision, Exchange}> $part */
    private function append(string $bucket, array $part): void
    {
        $lines = '';
        $count = 0;

        foreach ($part as [$decision]) {
            $lines .= $lines === '' ? $decision->lines : "\n{$decision->lines}";
            $count += $decision->count;
        }

        $before = $this->clock->monotonicNanos();

        try {
            $this->buffer->bucket($bucket)->append($lines, max(1, $count));
            $this->kept[$bucket] = $before;
            $this->meter->count('headroom_commits_total');
            $this->meter->count('headroom_events_accepted_total', $count);
            $answer = null;
        } catch (UnableToAppend $e) {
            $this->meter->count('headroom_events_refused_total{reason="'.$e->failure->value.'"}', $count);
            $this->tell("{$count} events could not be taken: {$e->getMessage()}");
            $answer = $this->refused;
            $failure = $e;
        } catch (Throwable $e) {
            $this->meter->count('headroom_events_refused_total{reason="error"}', $count);
            $this->tell(sprintf('%d events could not be taken: %s: %s (%s:%d)', $count, $e::class, $e->getMessage(), $e->getFile(), $e->getLine()));
            $answer = static fn (): Response => Problem::response(500, 'internal_error', 'The buffer failed; the log of the collector says how. Nothing of this was accepted.');
        }

        $now = $this->clock->monotonicNanos();

        if ($now - $before > self::SLOW_NANOS) {
            $this->tell(sprintf('the disk kept the loop for %d ms with an append to bucket %s', intdiv($now - $before, 1_000_000), $bucket));
        }

        foreach ($part as [$decision, $exchange]) {
            $exchange->settle($answer === null ? $decision->answer : (isset($failure) ? ($this->refused)($failure) : $answer()));
            $this->meter->ack($now - $exchange->startedAt);
        }
    }

    /** A full disk is told once a second, not once a request. */
    private function tell(string $what): void
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $this->toldAt > 1_000_000_000) {
            $this->toldAt = $now;
            ($this->say)($what);
        }
    }
}
