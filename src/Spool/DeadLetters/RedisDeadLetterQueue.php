<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\RedisStore\RedisDeadLetters;
use Headroom\Spool\RedisStore\RedisLease;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * @internal
 */
final readonly class RedisDeadLetterQueue implements DeadLetterQueue
{
    /** In one step of Redis, for which all others wait. */
    private const AT_ONCE = 100;

    /**
     * No segment of a disk has a number as high as the milliseconds of an entry, and letters that never
     * were in a stream have 0.
     */
    private const LEAST_MILLIS = 1_000_000_000_000;

    private DeadLetterLock $lock;

    /** @param ?DeadLetterQueue $disk those from before the bucket was in Redis; null where this machine has none */
    public function __construct(
        private RedisStore $store,
        private string $bucket,
        Clock $clock,
        private ?DeadLetterQueue $disk = null,
    ) {
        // What keeps this machine's disk from being brought back is for a flush to tell.
        $this->lock = new DeadLetterLock($store, $bucket, $clock, isPartialFine: true);
    }

    public function letters(): iterable
    {
        yield from $this->disk?->letters() ?? [];

        $keys = new Keys($this->bucket);
        $seen = RedisSnapshot::take($this->store->client, $keys);

        yield from (new RedisDeadLetters(
            $this->store->client,
            $keys,
        ))->before($seen->record->flush->progress->position);
    }

    public function retry(array $positions): int
    {
        [$onDisk, $positions] = $this->apart($positions);
        // They go into the log of this disk, and from there to Redis with the next flush here.
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->retry($onDisk) ?? 0;

        return $positions === []
            ? $fromDisk
            : $fromDisk + $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
                $retried = 0;

                foreach (array_chunk(DeadLetterLock::chosen($lease, $positions), self::AT_ONCE) as $some) {
                    $arguments = [];

                    foreach ($some as $letter) {
                        if ($letter instanceof DeadLetter) {
                            array_push(
                                $arguments,
                                $letter->position->toString(),
                                $letter->lineWithId(),
                                $letter->acceptedAt,
                            );
                        }
                    }

                    $retried += $lease instanceof RedisLease && $arguments !== [] ? $lease->letters()->redrive($arguments) : 0;
                }

                return $retried;
            });
    }

    public function forget(array $positions): int
    {
        [$onDisk, $positions] = $this->apart($positions);
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->forget($onDisk) ?? 0;

        return $positions === []
            ? $fromDisk
            : $fromDisk + $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
                $letters = DeadLetterLock::chosen($lease, $positions);

                foreach (array_chunk($letters, self::AT_ONCE) as $some) {
                    if ($lease instanceof RedisLease) {
                        $lease->letters()->forget(array_map(
                            static fn (DeadLetter|CorruptDeadLetter $letter): string => $letter->position->toString(),
                            $some,
                        ));
                    }
                }

                return count($letters);
            });
    }

    /**
     * @param list<Position> $positions
     * @return array{list<Position>, list<Position>} on this disk, and in Redis
     */
    private function apart(array $positions): array
    {
        $isOnDisk = static fn (Position $position): bool => $position->segment > 0
            && $position->segment < self::LEAST_MILLIS;

        return [
            array_values(array_filter($positions, $isOnDisk)),
            array_values(array_filter($positions, static fn (Position $position): bool => ! $isOnDisk($position))),
        ];
    }
}
