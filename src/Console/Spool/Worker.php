<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Core\HeadroomException;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Process\Supervision\WorkerStopReason;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Spool\Worker\FlushSchedule;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Spool\Worker\RateLimitedBuckets;
use Headroom\Spool\Worker\RestartSignal;
use Headroom\Spool\Worker\WorkerOptions;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * One process's rounds through its buckets.
 *
 * @internal
 */
final class Worker
{
    /** Where one process works several buckets, a backlog of one must not keep the others waiting; and so a signal need not wait long. */
    private const SECONDS_PER_TURN = 5;

    /** Segments are cleaned so often, and a bucket in which nothing lies is asked so often whether its ledger moved. */
    private const SECONDS_BETWEEN_CARE = 60;

    /** With --stop-when-empty: a slot that somebody holds is given back within a second or two, or not soon. */
    private const MOST_IDLE_ROUNDS = 5;

    /** Whatever asks for the end while nothing is done is heard within this time. */
    private const LONGEST_NAP_MICROS = 1_000_000;

    private readonly FailureLog $log;

    private readonly PeriodicFsync $disk;

    private readonly int $started;

    private readonly RestartSignal $restart;

    private readonly FlushSchedule $timetable;

    private readonly HeartbeatSender $heart;

    private readonly RateLimitedBuckets $rateRests;

    /** @var array<string, int> by bucket: nanoseconds */
    private array $caredFor = [];

    /** @var array<string, int> by bucket with times of its own: seconds since the Unix epoch */
    private array $lookedAt = [];

    /** @var array<string, true> buckets whose pause was told */
    private array $paused = [];

    private bool $resting = false;

    private bool $hasFailed = false;

    private int $idleRounds = 0;

    /** @param list<string> $buckets */
    public function __construct(
        private readonly SpoolServices $spool,
        private readonly array $buckets,
        private readonly WorkerOptions $limits,
        private readonly ShutdownSignal $stop,
        private readonly OutputInterface $output,
    ) {
        $this->log = new FailureLog($spool);
        $this->disk = new PeriodicFsync($spool);
        $this->started = $spool->clock()->monotonicNanos();
        $this->restart = new RestartSignal($spool);
        $this->timetable = new FlushSchedule($spool);
        $this->heart = new HeartbeatSender($spool);
        $this->rateRests = new RateLimitedBuckets($spool->clock());
    }

    public function run(): WorkerStopReason
    {
        while (! $this->isOver()) {
            $delivered = $this->round();

            // Below a process that supervises it is that one's.
            if ($this->limits->parent === null) {
                $this->heart->beat();
            }

            if ($this->limits->untilDrained && $delivered === 0 && ! $this->isOver()) {
                $left = $this->left();

                if ($this->hasFailed || $left === [] || (! $this->rateRests->areAll($left) && ++$this->idleRounds >= self::MOST_IDLE_ROUNDS)) {
                    return $this->end($left);
                }
            }

            if (memory_get_usage(true) >= $this->limits->memory) {
                return WorkerStopReason::Full;
            }

            // After a busy round as well: a steady trickle would otherwise be sealed into a segment per event.
            $this->rest();
        }

        return WorkerStopReason::Stopped;
    }

    /** @return list<string> buckets in which something lies: paused, being flushed by another process, or a slot that somebody holds */
    private function left(): array
    {
        return array_values(array_filter($this->buckets, fn (string $name): bool => ! $this->hasNoSink($name) && ! $this->spool->isUntouched($name) && ! $this->spool->stores()->isDrained($name)));
    }

    /** @param list<string> $left */
    private function end(array $left): WorkerStopReason
    {
        foreach ($left as $name) {
            (new CommandGuard($this->output))->complain("{$name}: not everything is delivered; `spool:status` says what is left.");
        }

        return $this->hasFailed || $left !== [] ? WorkerStopReason::Failed : WorkerStopReason::Drained;
    }

    /** @phpstan-impure */
    private function isOver(): bool
    {
        return $this->stop->asked > 0
            || ($this->limits->seconds !== null && $this->secondsSince($this->started) >= $this->limits->seconds)
            || ($this->limits->parent === null ? $this->restart->isDue() : posix_getppid() !== $this->limits->parent);
    }

    private function rest(): void
    {
        for ($left = max($this->limits->sleep, $this->restNeeded()); $left > 0 && ! $this->isOver(); $left -= self::LONGEST_NAP_MICROS) {
            $this->spool->clock()->sleep(min($left, self::LONGEST_NAP_MICROS));
        }
    }

    /** With --sleep=0, too, nobody spins where only a rate is waited for. */
    private function restNeeded(): int
    {
        return min(self::LONGEST_NAP_MICROS, $this->rateRests->micros($this->buckets));
    }

    private function round(): int
    {
        $delivered = 0;
        $this->hasFailed = false;

        // Somebody who says to stop when all is delivered wants it delivered.
        if (! $this->limits->untilDrained && $this->isResting()) {
            return 0;
        }

        foreach ($this->buckets as $name) {
            if ($this->isOver()) {
                break;
            }

            if (! $this->spool->isUntouched($name)) {
                $delivered += $this->work($name);
            }
        }

        return $delivered;
    }

    private function work(string $bucket): int
    {
        $this->disk->round($bucket, $this->output);

        if ($this->hasNoSink($bucket) || ! $this->isDue($bucket)) {
            return 0;
        }

        $isCareDue = ! isset($this->caredFor[$bucket]) || $this->secondsSince($this->caredFor[$bucket]) >= self::SECONDS_BETWEEN_CARE;

        if (! $isCareDue && ($this->rateRests->rests($bucket) || $this->spool->stores()->isDrained($bucket))) {
            return 0;
        }

        $report = $this->spool->flusher()->flush($bucket, new FlushOptions(seconds: self::SECONDS_PER_TURN));
        $this->log->note($report);
        $this->rateRests->note($report);
        $this->hasFailed = $this->hasFailed || $report->failure !== null || $report->waiting !== null;

        if ($report->delivered > 0 || $report->dead > 0 || $report->failure !== null || $report->losses !== [] || $report->paused !== isset($this->paused[$bucket])) {
            (new FlushReportFormatter($this->output))->print($report);
        }

        if (! $report->paused) {
            unset($this->paused[$bucket]);
            $this->careFor($bucket, $isCareDue);
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
            return false; // the flush tells
        }
    }

    /** A bucket with times of its own waits for them, unless somebody says to stop when all is delivered. */
    private function isDue(string $bucket): bool
    {
        $now = intdiv($this->spool->clock()->micros(), 1_000_000);
        $before = $this->lookedAt[$bucket] ?? null;

        $this->lookedAt[$bucket] = $now;

        return $this->limits->untilDrained || $this->timetable->isDue($bucket, $before, $now);
    }

    private function careFor(string $bucket, bool $isDue): void
    {
        if (! $isDue) {
            return;
        }

        // Not at the start: a process that is started anew again and again would do little else.
        if (isset($this->caredFor[$bucket])) {
            try {
                $this->spool->cleaner($bucket)->clean($this->spool->config()->retention());
            } catch (HeadroomException $e) {
                (new CommandGuard($this->output))->complain("{$bucket}: {$e->getMessage()}");
            }
        }

        $this->caredFor[$bucket] = $this->spool->clock()->monotonicNanos();
    }

    private function isResting(): bool
    {
        $resting = $this->spool->isResting();

        if ($resting !== $this->resting) {
            $this->output->writeln($resting
                ? 'The application is in maintenance mode: nothing is delivered until it is up again.'
                : 'The application is up again.');
        }

        return $this->resting = $resting;
    }

    private function secondsSince(int $nanos): int
    {
        return intdiv($this->spool->clock()->monotonicNanos() - $nanos, 1_000_000_000);
    }
}
