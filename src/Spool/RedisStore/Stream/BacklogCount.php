<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;

/**
 * Counts the events that wait in a stream, entry by entry.
 *
 * @internal
 */
final readonly class BacklogCount
{
    /** Bytes read per Redis call; at most four entries exceed it. */
    private const BYTES = 4_194_304;

    /**
     * @param ?int $oldest time of the oldest event in microseconds since the Unix epoch
     * @param int<0, max> $foreign number of entries that the buffer did not write
     */
    public function __construct(
        public int $events = 0,
        public int $bytes = 0,
        public ?int $oldest = null,
        public int $foreign = 0,
    ) {}

    /**
     * @param string $last id of the last entry to count; empty when the stream is empty
     * @param int<1, max> $atOnce entries per Redis call
     *
     * @throws RedisFailure
     */
    public static function of(Client $client, Keys $keys, Position $from, string $last, int $atOnce): self
    {
        $count = new self(-$from->index);
        $start = $last === '' ? '' : StreamId::of($from);

        while ($start !== '') {
            $answer = $client->script(Scripts::COUNT, $keys->all(), [$start, $last, $atOnce, self::BYTES]);
            [$events, $bytes, $start, $first, $foreign] = (is_array($answer) ? array_values($answer) : [])
                + [0, 0, '', '', 0];
            $start = is_string($start) ? $start : '';
            $count = new self(
                $count->events + self::number($events),
                $count->bytes + self::number($bytes),
                $count->oldest ?? (is_string($first) && $first !== '' ? (int) $first : null),
                max(0, $count->foreign + self::number($foreign)),
            );
        }

        return $last === ''
            ? new self
            : new self(max(0, $count->events), $count->bytes, $count->oldest, $count->foreign);
    }

    private static function number(mixed $value): int
    {
        return is_int($value) ? $value : 0;
    }
}
