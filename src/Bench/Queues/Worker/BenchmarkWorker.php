<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Worker;

use Headroom\Bench\Queues\Run\Barrier;
use Headroom\Bench\Queues\Run\WorkerPool;
use Headroom\Bench\Queues\WorkerErrors;
use Headroom\Core\Clock;
use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Queue\Events\JobAttempted;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobFailed;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\Looping;
use Throwable;

/**
 * Prepares this process for queue:work in a benchmark: another connection, a barrier before its first job, and a
 * record of each job.
 *
 * @internal
 */
final class BenchmarkWorker
{
    private bool $isFree = false;

    /** @param int $number of this worker, from 1 */
    public function __construct(
        private readonly Container $app,
        private readonly WorkerAssignment $orders,
        private readonly int $number,
        private readonly Clock $clock,
    ) {}

    public function prepare(): void
    {
        TemporaryConfig::apply($this->app, [...$this->orders->config, 'queue.failed.driver' => 'null']);
        // It may exist already, with the store that was the default then.
        $this->app->forgetInstance('cache.store');
        $this->app->forgetInstance('queue.failer');
        $recorder = new JobRecorder($this->orders->directory, $this->number, $this->clock);
        $this->app->instance(JobRecorder::class, $recorder);
        $this->follow($this->app->make(Dispatcher::class), $recorder);
        $this->complain();
    }

    private function follow(Dispatcher $events, JobRecorder $recorder): void
    {
        $events->listen(Looping::class, fn () => $this->wait());
        $events->listen(JobProcessed::class, static fn () => $recorder->done());
        // The exception handler may itself throw, for a job that the server no longer knows, say. The last exception
        // counts.
        $events->listen([JobExceptionOccurred::class, JobAttempted::class], static fn () => $recorder->thrown());
        $events->listen(JobFailed::class, static function (JobFailed $event) use ($recorder): void {
            $job = BenchmarkJob::in($event->job->getRawBody());
            $job === null ? null : $recorder->failed($job);
        });
    }

    /** Before the worker first reads the queue. Not later, because connecting is a part of its work. */
    private function wait(): void
    {
        if ($this->isFree) {
            return;
        }

        $this->isFree = true;
        Barrier::pass($this->orders->barrier, WorkerPool::readyFile($this->orders->directory, $this->number));

        // Idle workers ask one after the other, not all at the same moment.
        if ($this->orders->isStaggered) {
            $this->clock->sleep(
                (int) (1_000_000 * $this->orders->sleep * ($this->number - 1) / $this->orders->workers),
            );
        }
    }

    /** To the benchmark, and not to the application's error reporting. */
    private function complain(): void
    {
        $handler = $this->app->make(ExceptionHandler::class);

        if ($handler instanceof Handler) {
            $path = WorkerErrors::path($this->orders->directory, $this->number);
            $handler->reportable(static function (Throwable $e) use ($path): bool {
                file_put_contents($path, WorkerErrors::line($e), FILE_APPEND);

                return false;
            });
        }
    }
}
