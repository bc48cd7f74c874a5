<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\Clock;
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

    private LetterClaim $claim;

    public function __construct(private RedisStore $store, private string $bucket, Clock $clock)
    {
        $this->claim = new LetterClaim($store, $bucket, $clock);
    }

    public function letters(): iterable
    {
        $keys = new Keys($this->bucket);
        $seen = RedisSnapshot::take($this->store->client, $keys);

        return (new RedisLetters($this->store->client, $keys))->before($seen->record->flush->progress->position);
    }

    public function retry(array $positions): int
    {
        return $this->claim->during(function (Claim $claim) use ($positions): int {
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
        return $this->claim->during(function (Claim $claim) use ($positions): int {
            $letters = LetterClaim::chosen($claim, $positions);

            foreach (array_chunk($letters, self::AT_ONCE) as $some) {
                if ($claim->log instanceof RedisLog) {
                    $claim->log->forget(array_map(static fn (Letter|DamagedLetter $letter): string => $letter->position->toString(), $some));
                }
            }

            return count($letters);
        });
    }
}
