<?php

declare(strict_types=1);

namespace Headroom\Laravel\Queues;

use Illuminate\Contracts\Queue\ShouldQueue;

/**
 * A job that does nothing but say which one it is.
 *
 * @internal
 */
final class StampedJob implements ShouldQueue
{
    /**
     * @param int $pushed monotonic nanoseconds
     * @param int $millis that it takes
     * @param string $padding that makes it large
     */
    public function __construct(public int $id, public int $pushed, public int $millis = 0, public string $padding = '') {}

    public function handle(Stamper $stamper): void
    {
        $stamper->begin($this);
    }
}
