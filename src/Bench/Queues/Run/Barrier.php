<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\UnableToBench;

/**
 * Where workers wait until all are released at once: a lock that the starter holds. Should it die, they are free too,
 * and end.
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
        // Workers are started while it is closed. With a copy of this handle they would hold it closed themselves.
        $handle = @fopen($path, 'ce');

        return $handle !== false && flock($handle, LOCK_EX) ? new self($handle) : throw UnableToBench::file($path);
    }

    public function open(): void
    {
        flock($this->handle, LOCK_UN);
    }

    /**
     * In a worker: tells that it is there, and waits.
     *
     * @param string $arrival file that says so
     * @throws UnableToBench
     */
    public static function pass(string $path, string $arrival): void
    {
        $handle = @fopen($path, 'r');
        $handle !== false && @touch($arrival) && flock($handle, LOCK_SH) || throw UnableToBench::file($path);
        fclose($handle);
    }
}
