<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\Worker\BenchmarkJob;
use Headroom\Bench\Queues\Workload;
use Headroom\Core\Clock;
use Illuminate\Contracts\Queue\ClearableQueue;
use Illuminate\Contracts\Queue\Queue;
use Illuminate\Queue\Queue as LaravelQueue;
use Illuminate\Queue\QueueManager;
use ReflectionMethod;
use Throwable;

/**
 * Any connection of config/queue.php.
 *
 * @internal
 */
final readonly class LaravelDriver implements Driver
{
    /** The overhead of a job in a driver that is not one of Laravel's. */
    private const ENVELOPE_BYTES = 700;

    /** The class of a package that may be missing. */
    private const NO_TUBE = 'Pheanstalk\Exception\TubeNotFoundException';

    public function __construct(
        private QueueManager $queues,
        private string $connection,
        private string $queue,
        private Clock $clock,
    ) {}

    public function push(int $first, int $count, Workload $workload): void
    {
        $padding = self::padding($workload);
        $job = fn (int $id): BenchmarkJob
            => new BenchmarkJob($id, $this->clock->monotonicNanos(), $workload->millis, $padding);

        if ($count === 1) {
            $this->queue()->push($job($first), '', $this->queue);
        } else {
            $this->queue()->bulk(array_map($job, range($first, $first + $count - 1)), '', $this->queue);
        }
    }

    public function size(): int
    {
        try {
            return $this->queue()->size($this->queue);
        } catch (Throwable $e) {
            // beanstalkd forgets a tube that no client uses.
            return is_a($e, self::NO_TUBE) ? 0 : throw $e;
        }
    }

    public function reset(): void
    {
        $queue = $this->queue();

        if ($queue instanceof ClearableQueue) {
            $queue->clear($this->queue);
        } else {
            // beanstalkd and other drivers that cannot clear a queue.
            while (($job = $queue->pop($this->queue)) !== null) {
                $job->delete();
            }
        }
    }

    /** The size of a job in the queue, with everything that Laravel and the application add. */
    public function bytesOfOne(Workload $workload): int
    {
        $queue = $this->queue();
        $job = new BenchmarkJob(
            $workload->jobs,
            $this->clock->monotonicNanos(),
            $workload->millis,
            self::padding($workload),
        );
        // Laravel creates the payload in this method and gives no other access to it before it is sent.
        $payload = $queue instanceof LaravelQueue
            ? (new ReflectionMethod($queue, 'createPayload'))->invoke($queue, $job, $this->queue, '')
            : null;

        return strlen(is_string($payload) ? $payload : serialize($job))
            + (is_string($payload) ? 0 : self::ENVELOPE_BYTES);
    }

    /** Letters that need no escape, so the payload has exactly this many bytes. */
    private static function padding(Workload $workload): string
    {
        return $workload->payloadBytes === 0
            ? ''
            : substr(
                str_repeat(bin2hex(random_bytes(500)), intdiv($workload->payloadBytes, 1_000) + 1),
                0,
                $workload->payloadBytes,
            );
    }

    private function queue(): Queue
    {
        return $this->queues->connection($this->connection);
    }
}
