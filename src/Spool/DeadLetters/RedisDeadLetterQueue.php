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
 * The dead letters of a bucket in Redis, and those that this machine's disk still has.
 *
 * @internal
 */
final readonly class RedisDeadLetterQueue implements DeadLetterQueue
{
    /** Letters per script, because every other client of Redis waits while a script runs. */
    private const LETTERS_PER_SCRIPT = 100;

    /**
     * The first number of a position is a segment number on disk and a time in milliseconds in a stream. No segment
     * number gets this high, and no entry has an earlier time. Letters that were never in a stream have 0.
     */
    private const MIN_MILLIS = 1_000_000_000_000;

    private DeadLetterLock $lock;

    /**
     * @param ?DeadLetterQueue $disk dead letters from before the bucket was in Redis; null when this machine has none
     */
    public function __construct(
        private RedisStore $store,
        private string $bucket,
        Clock $clock,
        private ?DeadLetterQueue $disk = null,
    ) {
        // A flush reports why events on this machine's disk cannot be moved to Redis.
        $this->lock = new DeadLetterLock($store, $bucket, $clock, ignoresPartialFlush: true);
    }

    public function letters(): iterable
    {
        yield from $this->disk?->letters() ?? [];

        yield from $this->inRedis()->before($this->cursor());
    }

    public function positions(): array
    {
        return [...$this->disk?->positions() ?? [], ...$this->inRedis()->positionsBefore($this->cursor())];
    }

    public function at(array $positions): iterable
    {
        $onDisk = array_values(array_filter($positions, self::isTextOnDisk(...)));

        if ($onDisk !== []) {
            yield from $this->disk?->at($onDisk) ?? [];
        }

        yield from $this->inRedis()->at(array_values(array_diff($positions, $onDisk)));
    }

    private static function isTextOnDisk(string $position): bool
    {
        $segment = (int) substr($position, 0, 20);

        return $segment > 0 && $segment < self::MIN_MILLIS;
    }

    private function inRedis(): RedisDeadLetters
    {
        return new RedisDeadLetters($this->store->client, new Keys($this->bucket));
    }

    private function cursor(): Position
    {
        return RedisSnapshot::take($this->store->client, new Keys($this->bucket))->record->flush->progress->position;
    }

    public function retry(array $positions): int
    {
        [$onDisk, $positions] = $this->partition($positions);
        // The events go to the log on this disk. The next flush on this machine moves them to Redis.
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->retry($onDisk) ?? 0;

        return $positions === []
            ? $fromDisk
            : $fromDisk + $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
                $retried = 0;

                foreach (array_chunk(DeadLetterLock::select($lease, $positions), self::LETTERS_PER_SCRIPT) as $chunk) {
                    $arguments = [];

                    foreach ($chunk as $letter) {
                        if ($letter instanceof DeadLetter) {
                            array_push(
                                $arguments,
                                $letter->position->toString(),
                                $letter->lineWithId(),
                                $letter->acceptedAt,
                            );
                        }
                    }

                    $retried += $lease instanceof RedisLease && $arguments !== []
                        ? $lease->letters()->retry($arguments)
                        : 0;
                }

                return $retried;
            });
    }

    public function forget(array $positions): int
    {
        [$onDisk, $positions] = $this->partition($positions);
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->forget($onDisk) ?? 0;

        return $positions === []
            ? $fromDisk
            : $fromDisk + $this->lock->during(function (ConsumerLease $lease) use ($positions): int {
                $letters = DeadLetterLock::select($lease, $positions);

                foreach (array_chunk($letters, self::LETTERS_PER_SCRIPT) as $chunk) {
                    if ($lease instanceof RedisLease) {
                        $lease->letters()->forget(array_map(
                            static fn (DeadLetter|CorruptDeadLetter $letter): string => $letter->position->toString(),
                            $chunk,
                        ));
                    }
                }

                return count($letters);
            });
    }

    /**
     * @param list<Position> $positions
     * @return array{list<Position>, list<Position>} positions on this disk, and in Redis
     */
    private function partition(array $positions): array
    {
        $isOnDisk = static fn (Position $position): bool => $position->segment > 0
            && $position->segment < self::MIN_MILLIS;

        return [
            array_values(array_filter($positions, $isOnDisk)),
            array_values(array_filter($positions, static fn (Position $position): bool => ! $isOnDisk($position))),
        ];
    }
}
