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
    public const TOO_LONG_SECONDS = 300;

    /** A scheduler that runs has flushed by then. */
    private const SCHEDULE_SECONDS = 70;

    /** A site with autoflush may have no requests for a day. */
    private const QUIET_SECONDS = 86_400;

    /** @param int $tooLong seconds after which an event has waited too long */
    public function __construct(private SpoolServices $spool, private int $tooLong = self::TOO_LONG_SECONDS) {}

    public function findings(): array
    {
        $problems = [];

        foreach ($this->spool->status()->buckets as $bucket) {
            $problems = [...$problems, ...array_filter([
                self::letters($bucket),
                self::setBack($bucket),
                self::diskFork($bucket),
                self::fork($bucket) ?? self::failure($bucket) ?? $this->lateness($bucket),
            ])];
        }

        return $problems;
    }

    public static function letters(BucketStatus $bucket): ?Finding
    {
        return $bucket->storage->letters === 0 ? null : new Finding(
            "bucket {$bucket->bucket}",
            'It has '.TerminalText::count($bucket->storage->letters, 'dead letter')
                .': events that its sink refused.',
            "Run `spool:failed {$bucket->bucket}` for the reasons. Once they are fixed, `spool:retry"
                ." --bucket={$bucket->bucket}` appends the events to the log again.",
            false,
        );
    }

    public static function setBack(BucketStatus $bucket): ?Finding
    {
        return $bucket->setBack === null ? null : new Finding(
            "bucket {$bucket->bucket}",
            $bucket->setBack,
            "Run `spool:flush {$bucket->bucket}`: it delivers the events in Redis, or names the command that"
                .' does, and reports lost events.',
        );
    }

    public static function diskFork(BucketStatus $bucket): ?Finding
    {
        return ! $bucket->isDiskForked ? null : new Finding(
            "bucket {$bucket->bucket}",
            "Redis has events from a diverged copy of this machine's disk: the disk was restored, or copied"
                .' and both copies are in use. Events that wait on this disk are not moved to Redis.',
            'Run `spool:new-id`: it shows the waiting events and the two ways to continue.',
        );
    }

    public static function fork(BucketStatus $bucket): ?Finding
    {
        return ! $bucket->isForked || $bucket->store !== 'file' ? null : new Finding(
            "bucket {$bucket->bucket}",
            'Its disk was restored, or copied and both copies are in use, so none of its events are delivered.',
            'Run `spool:new-id`: it shows the waiting events and the two ways to continue.',
        );
    }

    public static function failure(BucketStatus $bucket): ?Finding
    {
        return $bucket->flush->trouble === null ? null : new Finding(
            "bucket {$bucket->bucket}",
            "Its flush fails: {$bucket->flush->trouble}",
            $bucket->sink === BucketConfig::CALLBACK
                ? 'Fix the cause. The next call of flush() with a callback passes the same events, which stay'
                    .' in the buffer until then.'
                : "Fix the cause, then run `spool:flush {$bucket->bucket} --now`. Its events stay in the buffer"
                    .' until then.',
        );
    }

    /**
     * Returns null when the bucket's oldest event has not waited too long, or waits on purpose: for the bucket's
     * own schedule, its rate limit or its pause. A backlog that is being delivered may be old as well.
     */
    public function lateness(BucketStatus $bucket): ?Finding
    {
        $dueBuckets = new DueBuckets($this->spool);

        return match (true) {
            $bucket->sink === null,
            $bucket->paused !== null,
            $bucket->oldestSeconds === null,
            $this->isDelivered($bucket) => null,
            ! $dueBuckets->isLate($bucket->bucket, $bucket->oldestSeconds, $this->tooLong)
                => $this->neverFlushed($bucket, $dueBuckets),
            $bucket->sink === BucketConfig::CALLBACK
                => $this->notCalled($bucket->bucket, (int) $bucket->oldestSeconds),
            default => $this->late($bucket->bucket, (int) $bucket->oldestSeconds),
        };
    }

    /** In the minutes before the bucket is late, in which a new user looks. */
    private function neverFlushed(BucketStatus $bucket, DueBuckets $dueBuckets): ?Finding
    {
        $isNew = $bucket->flush->flushedSeconds === null && $bucket->sink !== BucketConfig::CALLBACK
            && $dueBuckets->isLate($bucket->bucket, $bucket->oldestSeconds ?? 0.0, self::SCHEDULE_SECONDS);

        return ! $isNew ? null : new Finding(
            "bucket {$bucket->bucket}",
            sprintf(
                'Its oldest event has been waiting for %d s, and no flush has delivered any yet.',
                $bucket->oldestSeconds,
            ),
            'Keep `schedule:work` or `spool:work` running on your own machine, and on a server let cron run'
                .' `schedule:run` every minute.',
            false,
        );
    }

    private function isDelivered(BucketStatus $bucket): bool
    {
        try {
            $rate = $this->spool->config()->bucket($bucket->bucket)?->rateLimit;
        } catch (HeadroomException) {
            return false; // SinkIsNotReady reports it.
        }

        return $bucket->flush->flushedSeconds !== null
            && $bucket->flush->flushedSeconds < $this->tooLong + ($rate->seconds ?? 0);
    }

    private function notCalled(string $bucket, int $seconds): Finding
    {
        return new Finding(
            "bucket {$bucket}",
            sprintf(
                'Its oldest event has been waiting for %d minutes: no process flushes the bucket, or every'
                    .' flush fails.',
                intdiv($seconds, 60),
            ),
            'It has no sink, so only FileSystemBuffer::flush() or RedisBuffer::flush() with a callback delivers it.'
                .' Check with `schedule:list` that the call is scheduled and that cron runs `schedule:run`'
                .' every minute,'
                ." or declare a sink for '{$bucket}'.",
        );
    }

    private function late(string $bucket, int $seconds): Finding
    {
        $isAutoflushed = $this->spool->config()->autoflush() !== null;

        return new Finding(
            "bucket {$bucket}",
            sprintf(
                'Its oldest event has been waiting for %d minutes: no process flushes the bucket, or every'
                    .' flush fails.',
                intdiv($seconds, 60),
            )
                .($isAutoflushed
                    ? ' With autoflush, the next request that buffers an event flushes it, under PHP-FPM and LiteSpeed.'
                    : ''),
            "Run `spool:flush {$bucket}` to see its error. Let cron run `spool:flush` every minute (in Laravel"
                .' `schedule:run`; `schedule:work` on your own machine), or keep `spool:work` running.',
            ! $isAutoflushed || $seconds > self::QUIET_SECONDS,
        );
    }
}
