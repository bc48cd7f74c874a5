<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Worker;

use Illuminate\Contracts\Queue\ShouldQueue;

/**
 * A job that only reports its id.
 *
 * @internal
 */
final class BenchmarkJob implements ShouldQueue
{
    /**
     * @param int $pushed monotonic nanoseconds
     * @param int $millis duration
     * @param string $padding that makes it large
     */
    public function __construct(
        public int $id,
        public int $pushed,
        public int $millis = 0,
        public string $padding = '',
    ) {}

    /** The job in a Laravel payload; null if the payload has another job. */
    public static function in(string $payload): ?self
    {
        $serialized = str_replace('\\"', '"', $payload);

        return str_contains($payload, 'BenchmarkJob')
                && preg_match('/s:2:"id";i:(\d+);s:6:"pushed";i:(\d+);s:6:"millis";i:(\d+);/', $serialized, $m) === 1
            ? new self((int) $m[1], (int) $m[2], (int) $m[3])
            : null;
    }

    public function handle(JobRecorder $recorder): void
    {
        $recorder->begin($this);
    }
}
