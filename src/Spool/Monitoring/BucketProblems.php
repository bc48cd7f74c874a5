<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Support\TerminalText;

/**
 * The sentences about one bucket that `spool:status` and the dashboard show.
 *
 * @internal
 */
final readonly class BucketProblems
{
    private const NEW_ID = 'Run `spool:new-id`: it shows the waiting events and the two ways to continue.';

    /** @return list<BucketProblem> */
    public function of(BucketStatus $bucket): array
    {
        return array_values(array_filter(
            [
                ...$this->declaration($bucket),
                ...$this->delivery($bucket),
                ...$this->counts($bucket),
                ...$this->appends($bucket),
                ...$this->storage($bucket),
            ],
        ));
    }

    /** @return list<?BucketProblem> */
    private function declaration(BucketStatus $bucket): array
    {
        return [
            match (true) {
                $bucket->sink !== null => null,
                $bucket->isEmpty() => self::note(
                    'it is not declared under spool.buckets and is empty.',
                    "Run `spool:retire {$bucket->bucket}` to remove it.",
                ),
                default => self::error(
                    'it is not declared under spool.buckets, so nothing delivers it.',
                    "Declare '{$bucket->bucket}' under spool.buckets; its events are kept until then.",
                ),
            },
            $bucket->paused === null ? null : self::warning(
                "it is {$bucket->paused->words()}; it still accepts events.",
                "Run `spool:resume {$bucket->bucket}` to start the delivery again.",
            ),
        ];
    }

    /** @return list<?BucketProblem> */
    private function delivery(BucketStatus $bucket): array
    {
        return [
            match (true) {
                $bucket->isForked && $bucket->store === 'file' => self::error(
                    'its disk was restored, or copied and both copies are in use, so nothing is delivered.',
                    self::NEW_ID,
                ),
                $bucket->flush->trouble === null => null,
                default => self::error(
                    $bucket->flush->trouble,
                    self::fixOfFailure($bucket),
                ),
            },
            $bucket->isDiskForked ? self::error(
                "Redis has events from a diverged copy of this machine's disk, so the events on the disk are not moved"
                    .' to Redis.',
                self::NEW_ID,
            ) : null,
            $bucket->setBack === null
                ? null
                : new BucketProblem(
                    ProblemSeverity::Error,
                    $bucket->setBack,
                    "Run `spool:flush {$bucket->bucket}`, which names the lost events.",
                    isQuoted: true,
                ),
            $bucket->flush->goesOnSeconds === null
                ? null
                : self::note(sprintf('its rate limit holds it for %d s.', ceil($bucket->flush->goesOnSeconds))),
            $bucket->storage->letters === 0 ? null : self::warning(
                'it has '.TerminalText::count($bucket->storage->letters, 'dead letter')
                    .': events that its sink refused.',
                "Run `spool:failed {$bucket->bucket}` for the reasons.",
            ),
        ];
    }

    /** @return ?string null if the failure names the command itself */
    private static function fixOfFailure(BucketStatus $bucket): ?string
    {
        $command = "`spool:flush {$bucket->bucket} --now`";

        return match (true) {
            $bucket->sink === BucketConfig::CALLBACK =>
                'Fix the cause. The next call of flush() with a callback passes the same events.',
            str_contains($bucket->flush->trouble ?? '', $command) => null,
            default => "Fix the cause, then run {$command}.",
        };
    }

    /** @return list<?BucketProblem> */
    private function counts(BucketStatus $bucket): array
    {
        $missing = $bucket->events->missing;
        $isRedis = $bucket->store === 'redis';
        $verify = "Run `spool:verify {$bucket->bucket}` to find out which.";

        return [
            match (true) {
                $missing > 0 => self::error($isRedis
                    ? "{$missing} accepted events are missing: Redis lost them, or entries of its stream were removed."
                    : "{$missing} accepted events are missing: a segment was removed or damaged.", $verify),
                $missing < 0 => self::error((-$missing).($isRedis
                    ? ' more events than were accepted: the counters of Redis or the ledger were changed.'
                    : ' more events than were accepted: a segment was added or delivered again.'), $verify),
                default => null,
            },
            $bucket->storage->onDisk > 0 ? self::note(
                "{$bucket->storage->onDisk} of the pending events wait on this machine's disk to be moved into Redis.",
            ) : null,
            $bucket->backpressure->direct > 0 ? self::note(
                "{$bucket->backpressure->direct} of the delivered events went straight to the sink, because the buffer"
                    .' could not accept them.',
            ) : null,
            $bucket->backpressure->bypassed > 0 ? self::note(
                "{$bucket->backpressure->bypassed} of the delivered events bypassed the buffer, because the caller or"
                    ." the setting 'enabled' requires it.",
            ) : null,
        ];
    }

    /** @return list<?BucketProblem> */
    private function appends(BucketStatus $bucket): array
    {
        $refusing = $bucket->backpressure->refusing;
        $fix = 'Run `spool:health`, which shows the fix.';

        return [
            match ($refusing) {
                null => null,
                AppendFailure::Redis->value => self::warning(
                    "Redis does not accept its events now, so they go to this machine's disk.",
                    $fix,
                ),
                default => self::error("it does not accept events now ({$refusing}).", $fix),
            },
            $bucket->backpressure->droppedByReason === []
                ? null
                : self::warning('dropped: '.self::byReason($bucket->backpressure->droppedByReason).'.'),
            $bucket->backpressure->refusedByReason === [] ? null : self::warning(
                'refused, and the caller got an exception: '.self::byReason($bucket->backpressure->refusedByReason).'.',
            ),
        ];
    }

    /** @return list<?BucketProblem> */
    private function storage(BucketStatus $bucket): array
    {
        return [
            $bucket->storage->damaged > 0 ? self::warning(
                "{$bucket->storage->damaged} damaged byte ranges are kept in its quarantine directory.",
            ) : null,
            $bucket->storage->unsynced === null
                ? null
                : new BucketProblem(ProblemSeverity::Warning, $bucket->storage->unsynced, isQuoted: true),
            $bucket->error === null
                ? null
                : new BucketProblem(ProblemSeverity::Error, $bucket->error, isQuoted: true),
            ...array_map(
                static fn (string $held): BucketProblem => self::note("{$held}."),
                $bucket->storage->held,
            ),
        ];
    }

    /** @param array<string, int> $counts */
    private static function byReason(array $counts): string
    {
        return implode(', ', array_map(
            static fn (string $reason, int $events): string => "{$events} {$reason}",
            array_keys($counts),
            $counts,
        ));
    }

    private static function error(string $message, ?string $fix = null): BucketProblem
    {
        return new BucketProblem(ProblemSeverity::Error, $message, $fix);
    }

    private static function warning(string $message, ?string $fix = null): BucketProblem
    {
        return new BucketProblem(ProblemSeverity::Warning, $message, $fix);
    }

    private static function note(string $message, ?string $fix = null): BucketProblem
    {
        return new BucketProblem(ProblemSeverity::Note, $message, $fix);
    }
}
