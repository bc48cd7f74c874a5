<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\Events\BufferRefused;
use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;

/**
 * The log and the event dispatcher of the application, which receive the buffer's failures.
 *
 * @internal
 */
final readonly class FailureNotifier
{
    /**
     * @param ?Closure(): LoggerInterface $logger needed because the scheduler discards the output of a flush
     * @param ?Closure(BufferRefused): void $dispatch calls the application's listeners
     */
    public function __construct(private ?Closure $logger = null, public ?Closure $dispatch = null) {}

    public function logger(): LoggerInterface
    {
        return $this->logger === null ? new NullLogger : ($this->logger)();
    }

    /** A copy without the dispatcher: a failure in another machine's buffer must not call this machine's listeners. */
    public function onlyLogger(): self
    {
        return new self($this->logger);
    }
}
