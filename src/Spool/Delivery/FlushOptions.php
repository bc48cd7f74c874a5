<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Sink\Delivery;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\History\HistoryRecorder;

/**
 * Options of one flush: when it begins, and when it stops before the end of the log.
 *
 * @internal
 */
final readonly class FlushOptions
{
    /**
     * @param ?int<1, max> $events
     * @param ?int<1, max> $seconds checked between two deliveries
     * @param bool $now ignores the backoff of a failed flush
     * @param bool $buryAll turns refused events into dead letters, however many are refused in a row
     * @param ?Closure(Delivery): void $watch called for each delivery that has arrived
     * @param ?Closure(BatchFlushed): void $notify calls the application's listeners after each batch
     * @param ?HistoryRecorder $history null records nothing
     */
    public function __construct(
        public ?int $events = null,
        public ?int $seconds = null,
        public bool $now = false,
        public bool $buryAll = false,
        public ?Closure $watch = null,
        public ?Closure $notify = null,
        public ?HistoryRecorder $history = null,
    ) {}

    /** @param Closure(Delivery): void $watch */
    public function watchedBy(Closure $watch): self
    {
        return new self(
            $this->events,
            $this->seconds,
            $this->now,
            $this->buryAll,
            $watch,
            $this->notify,
            $this->history,
        );
    }

    /** @param ?Closure(BatchFlushed): void $notify null keeps the one that it has */
    public function followedBy(?Closure $notify, ?HistoryRecorder $history): self
    {
        return new self(
            $this->events,
            $this->seconds,
            $this->now,
            $this->buryAll,
            $this->watch,
            $notify ?? $this->notify,
            $history,
        );
    }
}
