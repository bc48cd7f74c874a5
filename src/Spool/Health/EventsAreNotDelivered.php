<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\DueBuckets;
use Headroom\Support\TerminalText;

/**
 * Events that wait too long: a sink that is down, a missing crontab line or a missing worker.
 *
 * @internal
 */
final readonly class EventsAreNotDelivered implements HealthCheck
{
    /** The schedule flushes every minute, or at a bucket's own times. */
    private const TOO_LONG_SECONDS = 300;

    /** A site with autoflush may have a quiet day. */
    private const QUIET_SECONDS = 86_400;

    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $problems = [];
        $timetable = new DueBuckets($this->spool);

        foreach ($this->spool->status()->buckets as $bucket) {
            $isByCallback = $bucket->sink === BucketConfig::CALLBACK;

            if ($bucket->storage->letters > 0) {
                $problems[] = new Finding(
                    "bucket {$bucket->bucket}",
                    TerminalText::count($bucket->storage->letters, 'dead letter')
                        .' kept: events that its sink refused.',
                    "See why with `spool:failed {$bucket->bucket}`; once that is fixed, `spool:retry --bucket={$bucket->bucket}` puts them into the log again.",
                    false,
                );
            }

            if ($bucket->setBack !== null) {
                $problems[] = new Finding(
                    "bucket {$bucket->bucket}",
                    $bucket->setBack,
                    "Run `spool:flush {$bucket->bucket}`: it delivers what Redis holds, or names the command that does, and tells what is gone.",
                );
            }

            if ($bucket->isDiskForked) {
                $problems[] = new Finding(
                    "bucket {$bucket->bucket}",
                    'Redis knows another log of this machine\'s disk than the one that is here: the disk was set back, or copied and both copies are in use. What waits on it is not brought into Redis.',
                    'Run `spool:new-id`: it says what waits here, and names the two ways to go on.',
                );
            }

            if ($bucket->isForked && $bucket->store === 'file') {
                $problems[] = new Finding(
                    "bucket {$bucket->bucket}",
                    'Its disk was set back, or copied and both copies are in use, so nothing of it is delivered.',
                    'Run `spool:new-id`: it says what waits here, and names the two ways to go on.',
                );
            } elseif ($bucket->flush->trouble !== null) {
                $problems[] = new Finding(
                    "bucket {$bucket->bucket}",
                    "Its flush fails: {$bucket->flush->trouble}",
                    $isByCallback ? 'Fix what it says; the next call of flush() with a callback hands over the same events. They stay in the buffer until then.' : "Fix what it says, then run `spool:flush {$bucket->bucket} --now`; its events stay in the buffer until then.",
                );
            } elseif (
                $bucket->sink !== null
                && $bucket->paused === null
                && $bucket->oldestSeconds !== null
                && ! $this->isHeldBack($bucket)
                && $timetable->isLate($bucket->bucket, $bucket->oldestSeconds, self::TOO_LONG_SECONDS)
            ) {
                $problems[] = $isByCallback
                    ? $this->notCalled($bucket->bucket, (int) $bucket->oldestSeconds)
                    : $this->late($bucket->bucket, (int) $bucket->oldestSeconds);
            }
        }

        return $problems;
    }

    /** It goes as fast as its rate lets it. */
    private function isHeldBack(BucketStatus $bucket): bool
    {
        try {
            $rate = $this->spool->config()->bucket($bucket->bucket)?->rateLimit;
        } catch (HeadroomException) {
            return false; // SinkIsNotReady reports it.
        }

        return $rate !== null
            && $bucket->flush->flushedSeconds !== null
            && $bucket->flush->flushedSeconds < self::TOO_LONG_SECONDS + $rate->seconds;
    }

    private function notCalled(string $bucket, int $seconds): Finding
    {
        return new Finding(
            "bucket {$bucket}",
            sprintf(
                'Its oldest event has been waiting for %d minutes: nothing flushes it, or every flush fails.',
                intdiv($seconds, 60),
            ),
            "It has no sink, so only FileSystemBuffer::flush() or RedisBuffer::flush() with a callback delivers it. See that it is called for bucket '{$bucket}' (`schedule:list`) and that cron runs `schedule:run` every minute, or declare a sink for it under spool.buckets.",
        );
    }

    private function late(string $bucket, int $seconds): Finding
    {
        $isAutoflushed = $this->spool->config()->autoflush() !== null;

        return new Finding(
            "bucket {$bucket}",
            sprintf(
                'Its oldest event has been waiting for %d minutes: nothing flushes it, or every flush fails.',
                intdiv($seconds, 60),
            )
                .($isAutoflushed
                    ? ' With autoflush the next request that buffers does, under PHP-FPM and LiteSpeed.'
                    : ''),
            "Run `spool:flush {$bucket}` to see what it says, and let cron run `spool:flush` every minute (in Laravel `schedule:run`), or keep `spool:work` running.",
            ! $isAutoflushed || $seconds > self::QUIET_SECONDS,
        );
    }
}
