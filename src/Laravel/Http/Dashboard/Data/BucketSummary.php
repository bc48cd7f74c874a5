<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\Finding;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Health\EventsAreNotDelivered;
use Headroom\Spool\Monitoring\BucketProblem;
use Headroom\Spool\Monitoring\BucketProblems;
use Headroom\Spool\Monitoring\ProblemSeverity;
use Headroom\Spool\Services\SpoolServices;

/**
 * One bucket in numbers, in one word and in the sentences of `spool:status`.
 *
 * @internal
 */
final readonly class BucketSummary
{
    public function __construct(private SpoolServices $spool) {}

    /** @return array<string, mixed> */
    public function toArray(BucketStatus $bucket): array
    {
        $late = $this->lateness($bucket);
        $problems = (new BucketProblems)->of($bucket);

        if ($late !== null) {
            $severity = $late->fatal ? ProblemSeverity::Error : ProblemSeverity::Warning;
            array_unshift($problems, new BucketProblem($severity, $late->message, $late->fix, isQuoted: true));
        }

        return [
            'bucket' => $bucket->bucket,
            'sink' => $bucket->sink,
            'store' => $bucket->store,
            'state' => self::state($bucket, $late)->value,
            'accepted' => $bucket->events->accepted,
            'delivered' => $bucket->events->delivered,
            'dead' => $bucket->events->dead,
            'dropped' => $bucket->events->dropped,
            'pending' => $bucket->events->pending,
            'missing' => $bucket->events->missing,
            'letters' => $bucket->storage->letters,
            'oldest_seconds' => $bucket->oldestSeconds,
            'in_per_second' => $bucket->throughput->inPerSecond,
            'out_per_second' => $bucket->throughput->outPerSecond,
            'flushed_seconds' => $bucket->flush->flushedSeconds,
            'used_bytes' => $bucket->storage->usedBytes,
            'max_bytes' => $bucket->storage->maxBytes,
            'durability' => $bucket->durability->value,
            'paused' => $bucket->paused?->toArray(),
            'problems' => array_map(static fn (BucketProblem $problem): array => [
                'message' => Sentences::shown($problem->sentence()),
                'fix' => $problem->fix === null ? null : Sentences::withCommands($problem->fix),
                'severity' => $problem->severity->value,
            ], $problems),
        ];
    }

    private static function state(BucketStatus $bucket, ?Finding $late): BucketState
    {
        return match (true) {
            $bucket->isForked, $bucket->isDiskForked, $bucket->setBack !== null => BucketState::Forked,
            $bucket->error !== null => BucketState::Error,
            $bucket->sink === null => BucketState::Undeclared,
            $bucket->paused !== null => BucketState::Paused,
            $bucket->flush->isStopped => BucketState::Stopped,
            $bucket->flush->trouble !== null => BucketState::Failing,
            $late !== null && $late->fatal => BucketState::Late,
            $bucket->events->pending > 0 => BucketState::Waiting,
            default => BucketState::Ok,
        };
    }

    /** In maintenance mode no bucket is delivered, which is intended. */
    private function lateness(BucketStatus $bucket): ?Finding
    {
        return $bucket->isForked || $bucket->flush->trouble !== null || $this->spool->isInMaintenance()
            ? null
            : (new EventsAreNotDelivered($this->spool))->lateness($bucket);
    }
}
