<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\Worker\StampedJob;
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
    /** What a driver that is not of Laravel's kind may put around a job. */
    private const ENVELOPE_BYTES = 700;

    /** Of a package that is not always there. */
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
        $job = fn (int $id): StampedJob
            => new StampedJob($id, $this->clock->monotonicNanos(), $workload->millis, $padding);

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
            // beanstalkd knows a tube only while somebody has to do with it.
            return is_a($e, self::NO_TUBE) ? 0 : throw $e;
        }
    }

    public function reset(): void
    {
        $queue = $this->queue();

        if ($queue instanceof ClearableQueue) {
            $queue->clear($this->queue);
        } else {
            // beanstalkd, and others that can not be told to forget a queue.
            while (($job = $queue->pop($this->queue)) !== null) {
                $job->delete();
            }
        }
    }

    /** Of a job as it lies in the queue, with all that Laravel and the application put around it. */
    public function bytesOfOne(Workload $workload): int
    {
        $queue = $this->queue();
        $job = new StampedJob(
            $workload->jobs,
            $this->clock->monotonicNanos(),
            $workload->millis,
            self::padding($workload),
        );
        // Laravel makes it in here and shows it to nobody before it is sent.
        $payload = $queue instanceof LaravelQueue
            ? (new ReflectionMethod($queue, 'createPayload'))->invoke($queue, $job, $this->queue, '')
            : null;

        return strlen(is_string($payload) ? $payload : serialize($job))
            + (is_string($payload) ? 0 : self::ENVELOPE_BYTES);
    }

    /** Letters that nothing has to escape, so that the payload has just these bytes. */
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
