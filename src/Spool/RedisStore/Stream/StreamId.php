<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;

/**
 * A position as the id of the entry that it is in, and back.
 *
 * @internal
 */
final readonly class StreamId
{
    /**
     * Of each half of a new entry's id. A reader takes one more: for those of the same step,
     * and for the least id behind the last.
     */
    public const DIGITS = 14;

    private const MOST = 10 ** self::DIGITS - 1;

    public static function of(Position $position): string
    {
        return "{$position->segment}-{$position->offset}";
    }

    /** @return array{int<0, max>, int<0, max>} */
    public static function halves(string $id): array
    {
        $dash = (int) strpos($id, '-');

        return [max(0, (int) substr($id, 0, $dash)), max(0, (int) substr($id, $dash + 1))];
    }

    /** Of an entry's first event. */
    public static function position(string $id): Position
    {
        return new Position(...[...self::halves($id), 0]);
    }

    /**
     * The first that an entry may have which is behind the position.
     *
     * @return array{int<0, max>, int<0, max>}
     */
    public static function behind(Position $position): array
    {
        $sequence = $position->offset + ($position->index > 0 ? 1 : 0);

        return $sequence > self::MOST ? [$position->segment + 1, 0] : [$position->segment, $sequence];
    }
}
