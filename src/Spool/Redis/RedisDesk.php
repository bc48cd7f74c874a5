<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Claim;
use Headroom\Spool\DamagedLetter;
use Headroom\Spool\Letter;
use Headroom\Spool\LetterClaim;
use Headroom\Spool\Letters;

/**
 * @internal
 */
final readonly class RedisDesk implements Letters
{
    /** In one step of Redis, for which all others wait. */
    private const AT_ONCE = 100;

    /** No segment of a disk has a number as high as the milliseconds of an entry, and letters that never were in a stream have 0. */
    private const LEAST_MILLIS = 1_000_000_000_000;

    private LetterClaim $claim;

    /** @param ?Letters $disk those from before the bucket was in Redis; null where this machine has none */
    public function __construct(private RedisStore $store, private string $bucket, Clock $clock, private ?Letters $disk = null)
    {
        // What keeps this machine's disk from being brought back is for a flush to tell.
        $this->claim = new LetterClaim($store, $bucket, $clock, isPartialFine: true);
    }

    public function letters(): iterable
    {
        yield from $this->disk?->letters() ?? [];

        $keys = new Keys($this->bucket);
        $seen = RedisSnapshot::take($this->store->client, $keys);

        yield from (new RedisLetters($this->store->client, $keys))->before($seen->record->flush->progress->position);
    }

    public function retry(array $positions): int
    {
        [$onDisk, $positions] = $this->apart($positions);
        // They go into the log of this disk, and from there to Redis with the next flush here.
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->retry($onDisk) ?? 0;

        return $positions === [] ? $fromDisk : $fromDisk + $this->claim->during(function (Claim $claim) use ($positions): int {
            $retried = 0;

            foreach (array_chunk(LetterClaim::chosen($claim, $positions), self::AT_ONCE) as $some) {
                $arguments = [];

                foreach ($some as $letter) {
                    if ($letter instanceof Letter) {
                        array_push($arguments, $letter->position->toString(), $letter->lineWithId(), $letter->acceptedAt);
                    }
                }

                $retried += $claim->log instanceof RedisLog && $arguments !== [] ? $claim->log->revive($arguments) : 0;
            }

            return $retried;
        });
    }

    public function forget(array $positions): int
    {
        [$onDisk, $positions] = $this->apart($positions);
        $fromDisk = $onDisk === [] ? 0 : $this->disk?->forget($onDisk) ?? 0;

        return $positions === [] ? $fromDisk : $fromDisk + $this->claim->during(function (Claim $claim) use ($positions): int {
            $letters = LetterClaim::chosen($claim, $positions);

            foreach (array_chunk($letters, self::AT_ONCE) as $some) {
                if ($claim->log instanceof RedisLog) {
                    $claim->log->forget(array_map(static fn (Letter|DamagedLetter $letter): string => $letter->position->toString(), $some));
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
        $isOnDisk = static fn (Position $position): bool => $position->segment > 0 && $position->segment < self::LEAST_MILLIS;

        return [array_values(array_filter($positions, $isOnDisk)), array_values(array_filter($positions, static fn (Position $position): bool => ! $isOnDisk($position)))];
    }
}
