<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\UnableToBench;

/**
 * A lock that the starter holds and workers wait for, so that all start at the same moment. If the starter dies, the
 * workers are released as well, and end.
 *
 * @internal
 */
final class Barrier
{
    /** @param resource $handle */
    private function __construct(private $handle) {}

    /** @throws UnableToBench */
    public static function closed(string $path): self
    {
        // Workers are started while it is closed. A copy of this handle in a worker would hold it closed.
        $handle = @fopen($path, 'ce');

        return $handle !== false && flock($handle, LOCK_EX) ? new self($handle) : throw UnableToBench::file($path);
    }

    public function open(): void
    {
        flock($this->handle, LOCK_UN);
    }

    /**
     * In a worker: reports its arrival, and waits.
     * @param string $arrival file that reports it
     * @throws UnableToBench
     */
    public static function pass(string $path, string $arrival): void
    {
        $handle = @fopen($path, 'r');
        $handle !== false && @touch($arrival) && flock($handle, LOCK_SH) || throw UnableToBench::file($path);
        fclose($handle);
    }
}
