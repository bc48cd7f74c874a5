<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;

/**
 * What waits in a stream, counted entry by entry.
 *
 * @internal
 */
final readonly class BacklogCount
{
    /** In one step of Redis too, beyond which four more entries come at most. */
    private const BYTES = 4_194_304;

    /**
     * @param ?int $oldest microseconds since the Unix epoch
     * @param int<0, max> $strange entries that the buffer did not make
     */
    public function __construct(
        public int $events = 0,
        public int $bytes = 0,
        public ?int $oldest = null,
        public int $strange = 0,
    ) {}

    /**
     * @param string $last id of the last entry to count; "" where there is none
     * @param int<1, max> $atOnce
     *
     * @throws RedisFailure
     */
    public static function of(Client $client, Keys $keys, Position $from, string $last, int $atOnce): self
    {
        $tally = new self(-$from->index);
        $start = $last === '' ? '' : StreamId::of($from);

        while ($start !== '') {
            $answer = $client->script(Scripts::COUNT, $keys->all(), [$start, $last, $atOnce, self::BYTES]);
            [$events, $bytes, $start, $first, $strange] = (is_array($answer) ? array_values($answer) : [])
                + [0, 0, '', '', 0];
            $start = is_string($start) ? $start : '';
            $tally = new self(
                $tally->events + self::number($events),
                $tally->bytes + self::number($bytes),
                $tally->oldest ?? (is_string($first) && $first !== '' ? (int) $first : null),
                max(0, $tally->strange + self::number($strange)),
            );
        }

        return $last === ''
            ? new self
            : new self(max(0, $tally->events), $tally->bytes, $tally->oldest, $tally->strange);
    }

    private static function number(mixed $value): int
    {
        return is_int($value) ? $value : 0;
    }
}
