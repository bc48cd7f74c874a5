<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Sink\Delivery;
use Headroom\Spool\Events\BatchFlushed;

/**
 * When a flush begins, and when it stops before the end of the log.
 *
 * @internal
 */
final readonly class FlushOptions
{
    /**
     * @param ?int<1, max> $events
     * @param ?int<1, max> $seconds looked at between two deliveries
     * @param bool $now does not wait for the time that a failed flush has set
     * @param bool $buryAll sets refused events aside however many there are in a row
     * @param ?Closure(Delivery): void $watch sees each delivery that has arrived
     * @param ?Closure(BatchFlushed): void $notify calls the application's listeners after each batch
     */
    public function __construct(
        public ?int $events = null,
        public ?int $seconds = null,
        public bool $now = false,
        public bool $buryAll = false,
        public ?Closure $watch = null,
        public ?Closure $notify = null,
    ) {}

    /** @param Closure(Delivery): void $watch */
    public function watchedBy(Closure $watch): self
    {
        return new self($this->events, $this->seconds, $this->now, $this->buryAll, $watch, $this->notify);
    }

    /** @param Closure(BatchFlushed): void $notify */
    public function notifying(Closure $notify): self
    {
        return new self($this->events, $this->seconds, $this->now, $this->buryAll, $this->watch, $notify);
    }
}
