<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\Clock;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\LogEntry;

/**
 * An append on disk that Redis was asked for and did not confirm. Its first event has the append's token as its id,
 * until it is known whether Redis has the events.
 *
 * @internal
 */
final readonly class UnconfirmedAppend
{
    private const BEGIN = '["redis:';

    /** Clocks drift, so a difference in time of less than this proves nothing. */
    private const MARGIN_MILLIS = 1_000;

    private function __construct(public string $token, public string $payload) {}

    public static function mark(string $token, string $payload): string
    {
        $end = strpos($payload, "\n");
        $first = $end === false ? $payload : substr($payload, 0, $end);

        return self::BEGIN.bin2hex($token)."\",{$first}]".($end === false ? '' : substr($payload, $end));
    }

    /** Reads the events from the entry's position on. Those before it were delivered while the bucket was on disk. */
    public static function of(LogEntry $entry): self
    {
        $payload = rtrim($entry->payload, ' ');

        return self::read($entry->position->index === 0
            ? $payload
            : implode("\n", array_slice(explode("\n", $payload), $entry->position->index)));
    }

    /** The token is empty when the payload has none. */
    public static function read(string $payload): self
    {
        $end = strpos($payload, "\n");
        $first = rtrim($end === false ? $payload : substr($payload, 0, $end), ' ');

        if (
            preg_match('/\A\["redis:([0-9a-f]{24})",/', substr($first, 0, 64), $m) !== 1
            || ! str_ends_with($first, ']')
        ) {
            return new self('', $payload);
        }

        return new self(
            (string) hex2bin($m[1]),
            substr($first, strlen($m[0]), -1).($end === false ? '' : substr($payload, $end)),
        );
    }

    /**
     * Redis forgets old tokens. It can tell whether it took this append if it has the token, or if it still has all
     * tokens from before the append.
     *
     * @param int $acceptedAt microseconds since the Unix epoch
     *
     * @throws RedisFailure
     */
    public function canBeDecided(Client $client, Keys $keys, int $acceptedAt, Clock $clock): bool
    {
        $answer = $client->script(Scripts::HAS_TOKEN, $keys->all(), [$this->token]);
        [$seen, $since, $now] = is_array($answer) ? [...array_values($answer), 0, '', ''] : [0, '', ''];

        if ($seen !== 0) {
            return true;
        }

        $skew = is_string($now) ? abs((int) $now - intdiv($clock->micros(), 1000)) : 0;

        return is_string($since)
            && $since !== ''
            && intdiv($acceptedAt, 1000) >= (int) $since + $skew + self::MARGIN_MILLIS;
    }
}
