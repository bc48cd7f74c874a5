<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Core\Clock;
use React\EventLoop\LoopInterface;

/**
 * The part of the event loop and of the limits of a worker that a connection may use.
 *
 * @internal
 */
final class LoopHandle
{
    /** Requests of one tick may take this long. Timers and the disk need their turn. */
    private const TICK_NANOS = 50_000_000;

    public bool $isDraining = false;

    private ?int $tickEndsAt = null;

    /** Bytes of all incomplete requests. */
    private int $unfinishedBytes = 0;

    /**
     * @param int $maxUnfinishedBytes of all connections
     * @param Closure(): void $onMemoryLimit called if incomplete requests exceed $maxUnfinishedBytes
     * @param Closure(int): void $onClose called with the id of a stream that is about to be closed
     */
    public function __construct(
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly FileDescriptorBudget $descriptors,
        private readonly int $maxUnfinishedBytes,
        private readonly Closure $onMemoryLimit,
        private readonly Closure $onClose,
    ) {}

    public function now(): int
    {
        return $this->clock->monotonicNanos();
    }

    /** Whether the client should send its next request to another worker. */
    public function shouldCloseAfterResponse(): bool
    {
        // An outbound request that waits for a descriptor can use that of the client.
        return $this->isDraining || $this->descriptors->waiting > 0;
    }

    /** Whether requests that have arrived must wait for the next tick. */
    public function isTickBudgetSpent(): bool
    {
        $now = $this->now();

        if ($this->tickEndsAt === null) {
            $this->tickEndsAt = $now + self::TICK_NANOS;
            $this->defer(function (): void {
                $this->tickEndsAt = null;
            });
        }

        return $now > $this->tickEndsAt;
    }

    /** @param int $change of the number of bytes of incomplete requests */
    public function addUnfinishedBytes(int $change): void
    {
        $this->unfinishedBytes += $change;

        if ($change > 0 && $this->unfinishedBytes > $this->maxUnfinishedBytes) {
            ($this->onMemoryLimit)();
        }
    }

    /** @param Closure(): void $task for the next tick */
    public function defer(Closure $task): void
    {
        $this->loop->futureTick($task);
    }

    /**
     * @param resource $stream
     * @param ?Closure(): void $listener null: stop watching
     */
    public function watchRead($stream, ?Closure $listener): void
    {
        $listener === null ? $this->loop->removeReadStream($stream) : $this->loop->addReadStream($stream, $listener);
    }

    /**
     * @param resource $stream
     * @param ?Closure(): void $listener null: stop watching
     */
    public function watchWrite($stream, ?Closure $listener): void
    {
        $listener === null ? $this->loop->removeWriteStream($stream) : $this->loop->addWriteStream($stream, $listener);
    }

    /**
     * Stops watching a stream that is about to be closed.
     *
     * @param resource $stream
     */
    public function release($stream, bool $isReading, bool $isWriting): void
    {
        if ($isReading) {
            $this->loop->removeReadStream($stream);
        }

        if ($isWriting) {
            $this->loop->removeWriteStream($stream);
        }

        ($this->onClose)((int) $stream);
    }
}
