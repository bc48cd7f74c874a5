<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;

/**
 * Converts a position to the id of the entry that it is in, and back.
 *
 * @internal
 */
final readonly class StreamId
{
    /**
     * Maximum length of each half of a new entry's id. Readers accept one digit more, which later entries of the same
     * script and the smallest id after the last one may need.
     */
    public const DIGITS = 14;

    private const MAX_SEQUENCE = 10 ** self::DIGITS - 1;

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

    /** Position of the entry's first event. */
    public static function position(string $id): Position
    {
        return new Position(...[...self::halves($id), 0]);
    }

    /**
     * The smallest id of an entry after the position.
     *
     * @return array{int<0, max>, int<0, max>} its two halves
     */
    public static function behind(Position $position): array
    {
        $sequence = $position->offset + ($position->index > 0 ? 1 : 0);

        return $sequence > self::MAX_SEQUENCE ? [$position->segment + 1, 0] : [$position->segment, $sequence];
    }
}
