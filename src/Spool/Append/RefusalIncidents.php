<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Core\Clock;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\LogThrottle;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\FileStore\State\RefusalIncident;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Counts events that were not buffered, and logs them once per incident across all processes. The first process that
 * counts a kind of refusal logs it. When they cannot be counted, events that are lost are logged one by one, and others
 * once a minute with their number.
 *
 * No method throws, because the outcome of the events is already decided.
 *
 * @internal
 */
final class RefusalIncidents
{
    /**
     * True during a call of the log or of a listener. If that call appends to the buffer, its refusal comes here again.
     */
    private bool $isReporting = false;

    public function __construct(
        private readonly SpoolConfig $config,
        private readonly Clock $clock,
        private readonly Notifier $notifier,
    ) {}

    public function note(string $bucket, UnableToAppend $refusal, RefusalOutcome $outcome, int $count): void
    {
        $now = $this->clock->micros();
        $before = null;
        $problem = null;

        try {
            $this->counters($bucket)->update(
                static function (
                    RefusalCounts $counts,
                ) use ($refusal, $outcome, $count, $now, &$before): RefusalCounts {
                    $before = $counts->incident;

                    return $counts->with($refusal->failure, $outcome, $count, $now);
                },
                Permissions::of($this->config),
            );
        } catch (Throwable $e) {
            $problem = $e;
        }

        $isNew = $before === null || $before->isOver($now);

        if ($problem === null && $before !== null && $isNew) {
            $this->reportEnd($bucket, $before);
        }

        if ($problem !== null) {
            $all = $this->toLog($bucket, $refusal, $outcome, $count);

            if ($all > 0) {
                $this->report($bucket, $refusal, $outcome, $all, $problem);
            }
        } elseif ($isNew || ! $before->isLogged($refusal->failure, $outcome)) {
            $this->report($bucket, $refusal, $outcome, $count, null);
        }
    }

    /** Logs the end of an incident. The flusher calls this, because the next refusal may come much later or never. */
    public function close(string $bucket): void
    {
        try {
            $now = $this->clock->micros();
            $counters = $this->counters($bucket);

            if ($counters->read()?->incident?->isOver($now) !== true) {
                return;
            }

            $ended = null;
            $counters->update(static function (RefusalCounts $counts) use ($now, &$ended): RefusalCounts {
                $ended = $counts->incident?->isOver($now) === true ? $counts->incident : null;

                return $ended === null ? $counts : $counts->withoutIncident();
            }, Permissions::of($this->config));

            if ($ended !== null) {
                $this->reportEnd($bucket, $ended);
            }
        } catch (Throwable) {
            // A later flush may succeed. spool:status and spool:health report what is wrong with the counters.
        }
    }

    private function counters(string $bucket): CountersFile
    {
        return new CountersFile(new Layout($this->config->path, $bucket), $this->clock);
    }

    /**
     * Returns the number of uncounted events that a line is due for, or 0. Lost events have a line each, because no
     * later line might come that counts them. This user may not write to the buffer, so the time of the last line is in
     * a temporary file, one for each user. Another user may have created it there, to hide the lines.
     */
    private function toLog(string $bucket, UnableToAppend $refusal, RefusalOutcome $outcome, int $count): int
    {
        $directory = PhpRestrictions::call('sys_get_temp_dir');

        if (
            $outcome === RefusalOutcome::Dropped
            || $outcome === RefusalOutcome::RolledBack
            || ! is_string($directory) // the host disables the function
        ) {
            return $count;
        }

        $user = Permissions::currentUser();
        $buffer = hash('xxh128', $this->config->path);
        $name = "headroom-{$user}.refused";
        $minute = new LogThrottle($directory, new Permissions, $this->clock, $name, owner: $user);

        return $minute->take("{$buffer}/{$bucket}", "{$refusal->failure->value} {$outcome->value}", $count);
    }

    private function report(
        string $bucket,
        UnableToAppend $refusal,
        RefusalOutcome $outcome,
        int $count,
        ?Throwable $problem,
    ): void {
        $outcomeText = match ($outcome) {
            RefusalOutcome::Direct => 'went to the sink directly',
            RefusalOutcome::OnDisk =>
                'went to the disk of this machine; a flush here moves them to Redis once Redis answers',
            RefusalOutcome::Dropped => "were dropped, as the bucket's overflow setting says",
            RefusalOutcome::RolledBack =>
                "went to the sink directly in the caller's transaction, whose rollback removed them",
            RefusalOutcome::Thrown => 'were refused with an exception',
        };
        $rest = $problem === null
            ? 'Later refusals of this kind are only counted (spool:status), until a minute has passed without one.'
            : 'They could not be counted, so this line is the only record of them: '
                .$problem->getMessage();

        $this->write(
            $outcome === RefusalOutcome::Direct || $outcome === RefusalOutcome::OnDisk ? 'warning' : 'error',
            "spool: bucket '{$bucket}' "
                .($outcome === RefusalOutcome::OnDisk ? 'is cut off from its store' : 'refuses events')
                ." ({$refusal->failure->value}): {$count} {$outcomeText}. {$refusal->getMessage()} {$rest}",
        );

        if (! $this->isReporting) {
            $this->isReporting = true;
            $this->notifier->notify(new BufferRefused($bucket, $refusal->failure, $outcome, $count));
            $this->isReporting = false;
        }
    }

    private function reportEnd(string $bucket, RefusalIncident $ended): void
    {
        $seconds = intdiv(max(0, $ended->last - $ended->since), 1_000_000);

        $this->write(
            'info',
            "spool: bucket '{$bucket}' has refused nothing for a minute; the incident that began "
                .gmdate('Y-m-d H:i:s', intdiv($ended->since, 1_000_000))
                ." UTC ({$ended->failure->value}) lasted {$seconds} s: {$ended->sum()}.",
        );
    }

    private function write(string $level, string $message): void
    {
        if ($this->isReporting) {
            PhpRestrictions::call('error_log', $message);

            return;
        }

        $this->isReporting = true;

        try {
            $this->notifier->logger()->log($level, $message);
        } catch (Throwable $e) {
            PhpRestrictions::call(
                'error_log',
                "{$message} (The application's log failed: {$e->getMessage()})",
            );
        } finally {
            $this->isReporting = false;
        }
    }
}
