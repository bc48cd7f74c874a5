<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Utf8;

/**
 * An entry of a stream that the buffer did not make, as a letter: its fields are the event's columns, so that somebody
 * who meant to add a row has one to retry.
 *
 * @internal
 */
final readonly class ForeignEntry
{
    /**
     * @param list<mixed> $fields name, value, name, value
     * @param string $source stream and bucket
     * @return string with "@" for its place
     */
    public static function letter(string $id, array $fields, string $source, int $now): string
    {
        $letter = new DeadLetter(
            Position::start(),
            "{$source}/{$id}",
            min($now, 1000 * min(intdiv($now, 1000), StreamId::halves($id)[0])),
            $now,
            'redis',
            "The entry {$id} in the stream is none that the buffer made.",
            self::line($fields),
        );

        return str_replace('"'.Position::start()->toString().'"', '"@"', DeadLetterCodec::encode($letter));
    }

    /** @param list<mixed> $fields */
    private static function line(array $fields): string
    {
        $texts = array_map(static fn (mixed $text): string => is_string($text) ? $text : '', $fields);
        $row = [];

        foreach (array_chunk($texts, 2) as [$name, $value]) {
            $row[$name] = $value;
        }

        try {
            return (new Codec(Utf8::Binary))->encode($row);
        } catch (InvalidEvent) {
            // No row, and so nothing to retry; what it was can be read all the same.
            return implode(' ', $texts);
        }
    }
}
