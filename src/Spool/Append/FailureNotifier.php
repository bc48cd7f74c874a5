<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\Events\BufferRefused;
use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;

/**
 * Whom the application has told of what goes wrong.
 *
 * @internal
 */
final readonly class FailureNotifier
{
    /**
     * @param ?Closure(): LoggerInterface $logger what a scheduled flush prints is read by nobody
     * @param ?Closure(BufferRefused): void $dispatch to the application's listeners
     */
    public function __construct(private ?Closure $logger = null, public ?Closure $dispatch = null) {}

    public function logger(): LoggerInterface
    {
        return $this->logger === null ? new NullLogger : ($this->logger)();
    }

    /** What is found in another machine's buffer is no event of this one's. */
    public function onlyLogger(): self
    {
        return new self($this->logger);
    }
}
