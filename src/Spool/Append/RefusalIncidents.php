<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\FileStore\State\RefusalIncident;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\PhpRestrictions;
use Psr\Log\LoggerInterface;
use Throwable;

/**
 * Counts what was not buffered, and tells of it once per incident, whichever process meets it. What is counted is told
 * by the first that counts it; what can not be counted is told each time, because then the log holds the count.
 *
 * Nothing here throws: what happened to the events has happened.
 *
 * @internal
 */
final class RefusalIncidents
{
    /** A log or a listener that buffers is refused, too. */
    private bool $telling = false;

    /**
     * @param Closure(): LoggerInterface $logger
     * @param ?Closure(BufferRefused): void $dispatch
     */
    public function __construct(
        private readonly SpoolConfig $config,
        private readonly Clock $clock,
        private readonly Closure $logger,
        private readonly ?Closure $dispatch = null,
    ) {}

    public function note(string $bucket, UnableToAppend $refusal, RefusalOutcome $outcome, int $count): void
    {
        $now = $this->clock->micros();
        $before = null;
        $problem = null;

        try {
            $this->counters($bucket)->update(static function (RefusalCounts $counts) use ($refusal, $outcome, $count, $now, &$before): RefusalCounts {
                $before = $counts->incident;

                return $counts->with($refusal->failure, $outcome, $count, $now);
            }, Permissions::of($this->config));
        } catch (Throwable $e) {
            $problem = $e;
        }

        $isNew = $before === null || $before->isOver($now);

        if ($problem === null && $before !== null && $isNew) {
            $this->tellEnd($bucket, $before);
        }

        if ($problem !== null || $isNew || ! $before->hasTold($refusal->failure, $outcome)) {
            $this->tell($bucket, $refusal, $outcome, $count, $problem);
        }
    }

    /** Whoever flushes tells of the end, since nobody may be refused again for long. */
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
                $this->tellEnd($bucket, $ended);
            }
        } catch (Throwable) {
            // The next one may. spool:status and spool:health tell what stands in the way.
        }
    }

    private function counters(string $bucket): CountersFile
    {
        return new CountersFile(new Layout($this->config->path, $bucket), $this->clock);
    }

    private function tell(string $bucket, UnableToAppend $refusal, RefusalOutcome $outcome, int $count, ?Throwable $problem): void
    {
        $fate = match ($outcome) {
            RefusalOutcome::Direct => 'went to the sink directly',
            RefusalOutcome::OnDisk => 'went to the disk of this machine, and go into Redis with a flush here once it answers',
            RefusalOutcome::Dropped => "were dropped, as the bucket's overflow setting says",
            RefusalOutcome::RolledBack => "had gone to the sink directly within the caller's transaction, which was rolled back: they are gone with it",
            RefusalOutcome::Thrown => 'were refused with an exception',
        };
        $rest = $problem === null
            ? 'What follows of this kind is counted (spool:status) and not logged, until a minute has passed without.'
            : "They could not be counted, so this line is the only record of them: {$problem->getMessage()}";

        $this->write(
            $outcome === RefusalOutcome::Direct || $outcome === RefusalOutcome::OnDisk ? 'warning' : 'error',
            "spool: bucket '{$bucket}' ".($outcome === RefusalOutcome::OnDisk ? 'is cut off from its store' : 'does not take events')." ({$refusal->failure->value}): {$count} {$fate}. {$refusal->getMessage()} {$rest}",
        );

        if ($this->dispatch !== null && ! $this->telling) {
            $this->telling = true;

            try {
                ($this->dispatch)(new BufferRefused($bucket, $refusal->failure, $outcome, $count));
            } catch (Throwable $e) {
                PhpRestrictions::call('error_log', 'spool: a listener for '.BufferRefused::class." failed: {$e->getMessage()}");
            } finally {
                $this->telling = false;
            }
        }
    }

    private function tellEnd(string $bucket, RefusalIncident $ended): void
    {
        $seconds = intdiv(max(0, $ended->last - $ended->since), 1_000_000);

        $this->write('info', "spool: bucket '{$bucket}' has refused nothing for a minute; the incident that began ".gmdate('Y-m-d H:i:s', intdiv($ended->since, 1_000_000))." UTC ({$ended->failure->value}) lasted {$seconds} s. Of its events {$ended->sum()}.");
    }

    private function write(string $level, string $message): void
    {
        if ($this->telling) {
            PhpRestrictions::call('error_log', $message);

            return;
        }

        $this->telling = true;

        try {
            ($this->logger)()->log($level, $message);
        } catch (Throwable $e) {
            PhpRestrictions::call('error_log', "{$message} (The application's log could not take this: {$e->getMessage()})");
        } finally {
            $this->telling = false;
        }
    }
}
