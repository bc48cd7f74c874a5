<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\HeadroomException;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Events\WorkerStopping;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\WorkerFiles;
use Headroom\Spool\Services\SpoolServices;

/**
 * Delivers its buckets in rounds until it is told to stop or reaches a limit.
 *
 * @internal
 */
final class Worker
{
    /**
     * The limit of a bucket's turn. A backlog of one bucket must not delay the other buckets of this process, or a
     * signal.
     */
    private const SECONDS_PER_TURN = 5;

    /**
     * The worker removes old segments this often, and asks the ledger of an empty bucket this often whether it moved.
     */
    private const MAINTENANCE_SECONDS = 60;

    /**
     * With --stop-when-empty, events may be left in a segment that a request keeps open. The worker ends after this
     * many rounds, because the request may take long.
     */
    private const MAX_IDLE_ROUNDS = 5;

    /** The longest sleep. An idle worker notices a request to stop within this time. */
    private const MAX_SLEEP_MICROS = 1_000_000;

    private readonly FailureLog $log;

    private readonly PeriodicFsync $fsync;

    private readonly int $started;

    private readonly RestartSignal $restart;

    private readonly DueBuckets $dueBuckets;

    private readonly HeartbeatSender $heartbeat;

    private readonly AlertChecks $alerts;

    private readonly RateLimitedBuckets $rateLimited;

    /** @var array<string, int> by bucket: nanoseconds */
    private array $maintainedAt = [];

    /** @var array<string, int> by bucket that has a schedule: seconds since the Unix epoch */
    private array $checkedAt = [];

    /** @var array<string, true> buckets whose pause was reported */
    private array $paused = [];

    /** @var resource|null locked while this worker runs */
    private $file = null;

    private bool $inMaintenance = false;

    private bool $hasFailed = false;

    private int $idleRounds = 0;

    /** @param list<string> $buckets */
    public function __construct(
        private readonly SpoolServices $spool,
        private readonly array $buckets,
        private readonly WorkerOptions $options,
        private readonly ShutdownSignal $stop,
        private readonly WorkerOutput $output,
    ) {
        $this->log = new FailureLog($spool);
        $this->fsync = new PeriodicFsync($spool, $output);
        $this->started = $spool->clock()->monotonicNanos();
        $this->restart = new RestartSignal($spool);
        $this->dueBuckets = new DueBuckets($spool);
        $this->heartbeat = new HeartbeatSender($spool);
        $this->alerts = new AlertChecks($spool);
        $this->rateLimited = new RateLimitedBuckets($spool->clock());
    }

    public function run(): WorkerStopReason
    {
        $reason = WorkerStopReason::Error;

        try {
            return $reason = $this->deliver();
        } finally {
            $this->spool->history()->finish();
            $this->spool->notifier()->notify(new WorkerStopping($this->buckets, $reason->word()));
        }
    }

    private function deliver(): WorkerStopReason
    {
        while (! $this->isOver()) {
            $this->file ??= $this->files()->register($this->buckets, $this->spool->clock());
            $delivered = $this->round();

            // A supervisor sends the heartbeats and checks the alerts for all its workers.
            if ($this->options->supervisor === null) {
                $this->heartbeat->beat();
                $this->alerts->startIfDue();
            }

            if ($this->options->untilDrained && $delivered === 0 && ! $this->isOver()) {
                $undelivered = $this->undelivered();

                if (
                    $this->hasFailed
                    || $undelivered === []
                    || (! $this->rateLimited->areAll($undelivered) && ++$this->idleRounds >= self::MAX_IDLE_ROUNDS)
                ) {
                    return $this->stopReason($undelivered);
                }
            }

            if (memory_get_usage(true) >= $this->options->memory) {
                return WorkerStopReason::MemoryLimit;
            }

            // The worker also sleeps after a round with events: without a pause, a steady trickle would become one
            // segment per event.
            $this->sleep();
        }

        return WorkerStopReason::Stopped;
    }

    private function files(): WorkerFiles
    {
        $config = $this->spool->config();

        return new WorkerFiles($config->path, Permissions::of($config));
    }

    /** @return list<string> buckets with undelivered events: paused, or busy in another process */
    private function undelivered(): array
    {
        return array_values(array_filter(
            $this->buckets,
            fn (string $name): bool => ! $this->hasNoSink($name)
                && ! $this->spool->isUntouched($name)
                && ! $this->spool->stores()->isDrained($name),
        ));
    }

    /** @param list<string> $undelivered */
    private function stopReason(array $undelivered): WorkerStopReason
    {
        foreach ($undelivered as $name) {
            $this->output->error("{$name}: some events are not delivered; `spool:status` shows them.");
        }

        return $this->hasFailed || $undelivered !== [] ? WorkerStopReason::Failed : WorkerStopReason::Drained;
    }

    /** @phpstan-impure */
    private function isOver(): bool
    {
        return $this->stop->asked > 0
            || ($this->options->seconds !== null && $this->secondsSince($this->started) >= $this->options->seconds)
            || ($this->options->supervisor?->isClosed() ?? $this->restart->isDue());
    }

    private function sleep(): void
    {
        for ($micros = max($this->options->sleep, $this->rateLimitMicros()); $micros > 0
            && ! $this->isOver(); $micros -= self::MAX_SLEEP_MICROS) {
            $this->spool->clock()->sleep(min($micros, self::MAX_SLEEP_MICROS));
        }
    }

    /** Without this pause a worker with --sleep=0 would spin until its rate limit lets events pass. */
    private function rateLimitMicros(): int
    {
        return min(self::MAX_SLEEP_MICROS, $this->rateLimited->waitMicros($this->buckets));
    }

    private function round(): int
    {
        $delivered = 0;
        $this->hasFailed = false;

        // --stop-when-empty asks for delivery, in maintenance mode as well.
        $isWaiting = ! $this->options->untilDrained && $this->isInMaintenance();

        foreach ($this->buckets as $name) {
            if ($this->isOver()) {
                break;
            }

            if (! $this->spool->isUntouched($name)) {
                $delivered += $isWaiting ? 0 : $this->work($name);
                $this->spool->history()->observe($name);
            }
        }

        return $delivered;
    }

    private function work(string $bucket): int
    {
        $this->fsync->round($bucket);

        if ($this->hasNoSink($bucket) || ! $this->isDue($bucket)) {
            return 0;
        }

        $isMaintenanceDue = ! isset($this->maintainedAt[$bucket])
            || $this->secondsSince($this->maintainedAt[$bucket]) >= self::MAINTENANCE_SECONDS;

        if (
            ! $isMaintenanceDue
            && ($this->rateLimited->isWaiting($bucket) || $this->spool->stores()->isDrained($bucket))
        ) {
            return 0;
        }

        $report = $this->spool->flusher()->flush($bucket, new FlushOptions(seconds: self::SECONDS_PER_TURN));
        $this->log->note($report);
        $this->rateLimited->note($report);
        $this->hasFailed = $this->hasFailed || $report->failure !== null || $report->waiting !== null;

        if (
            $report->delivered > 0
            || $report->dead > 0
            || $report->failure !== null
            || $report->losses !== []
            || $report->paused !== isset($this->paused[$bucket])
        ) {
            $this->output->report($report);
        }

        if (! $report->paused) {
            unset($this->paused[$bucket]);
            $this->maintain($bucket, $isMaintenanceDue);
        } else {
            $this->paused[$bucket] = true;
        }

        $this->hasFailed = $this->hasFailed || $report->paused;

        return $report->delivered + $report->dead;
    }

    private function hasNoSink(string $bucket): bool
    {
        try {
            return $this->spool->config()->bucket($bucket)?->hasNoSink() ?? false;
        } catch (HeadroomException) {
            return false; // the flush reports it
        }
    }

    /** A bucket with a schedule waits for it, except with --stop-when-empty. */
    private function isDue(string $bucket): bool
    {
        $now = intdiv($this->spool->clock()->micros(), 1_000_000);
        $before = $this->checkedAt[$bucket] ?? null;

        $this->checkedAt[$bucket] = $now;

        return $this->options->untilDrained || $this->dueBuckets->isDue($bucket, $before, $now);
    }

    private function maintain(string $bucket, bool $isDue): void
    {
        if (! $isDue) {
            return;
        }

        // The first cleaning waits one interval: a process that is restarted again and again would do little else.
        if (isset($this->maintainedAt[$bucket])) {
            try {
                $this->spool->cleaner($bucket)->clean($this->spool->config()->retention());
            } catch (HeadroomException $e) {
                $this->output->error("{$bucket}: {$e->getMessage()}");
            }
        }

        $this->maintainedAt[$bucket] = $this->spool->clock()->monotonicNanos();
    }

    private function isInMaintenance(): bool
    {
        $inMaintenance = $this->spool->isInMaintenance();

        if ($inMaintenance !== $this->inMaintenance) {
            $this->output->notice($inMaintenance
                ? 'The application is in maintenance mode: nothing is delivered until it is up again.'
                : 'The application is up again.');
        }

        return $this->inMaintenance = $inMaintenance;
    }

    private function secondsSince(int $nanos): int
    {
        return intdiv($this->spool->clock()->monotonicNanos() - $nanos, 1_000_000_000);
    }
}
