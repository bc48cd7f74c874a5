<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Worker;

use Headroom\Bench\Queues\Run\JobOutcome;
use Headroom\Bench\Queues\Run\JobRecord;
use Headroom\Bench\Queues\Run\JobRecordFiles;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Core\Clock;

/**
 * Records in a worker when it starts and finishes a job.
 *
 * @internal
 */
final class JobRecorder
{
    /** @var resource of finished jobs */
    private $handle;

    /** @var resource of started jobs */
    private $begun;

    private ?BenchmarkJob $job = null;

    private int $started = 0;

    /** @throws UnableToBench */
    public function __construct(string $directory, int $worker, private readonly Clock $clock)
    {
        $this->handle = self::opened(JobRecordFiles::path($directory, $worker));
        $this->begun = self::opened(JobRecordFiles::begunPath($directory, $worker));
    }

    public function begin(BenchmarkJob $job): void
    {
        // A job that runs a second time may still be running when all have run, and its worker is killed then.
        fwrite($this->begun, pack('V', $job->id));
        $this->job = $job;
        $this->started = $this->clock->monotonicNanos();

        if ($job->millis > 0) {
            $until = $this->started + $job->millis * 1_000_000;

            // A signal ends a sleep.
            while (($now = $this->clock->monotonicNanos()) < $until) {
                $this->clock->sleep(intdiv($until - $now, 1_000) + 1);
            }
        }
    }

    /** After it has left the queue. */
    public function done(): void
    {
        $this->end(JobOutcome::Done);
    }

    public function thrown(): void
    {
        $this->end(JobOutcome::Thrown);
    }

    public function failed(BenchmarkJob $job): void
    {
        $now = $this->clock->monotonicNanos();
        $this->write(new JobRecord($job->id, JobOutcome::Failed, $job->pushed, $now, $now));
    }

    private function end(JobOutcome $outcome): void
    {
        if ($this->job !== null) {
            $this->write(
                new JobRecord(
                    $this->job->id,
                    $outcome,
                    $this->job->pushed,
                    $this->started,
                    $this->clock->monotonicNanos(),
                ),
            );
            $this->job = null;
        }
    }

    /**
     * @return resource
     * @throws UnableToBench
     */
    private static function opened(string $path)
    {
        $handle = fopen($path, 'a');
        $handle = $handle === false ? throw UnableToBench::file($path) : $handle;
        // Written at once, also if this process is killed: a job that ran must not count as lost.
        stream_set_write_buffer($handle, 0);

        return $handle;
    }

    private function write(JobRecord $record): void
    {
        fwrite($this->handle, $record->encode());
    }
}
