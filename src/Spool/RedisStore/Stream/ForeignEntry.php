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
 * Makes a dead letter of a stream entry that the buffer did not write. Its fields become the event's columns: if a
 * program wrote a row to the stream, an operator can retry it.
 *
 * @internal
 */
final readonly class ForeignEntry
{
    /**
     * @param list<mixed> $fields name, value, name, value
     * @param string $source the stream's id and the bucket: "NODE/BUCKET"
     * @return string the letter's JSON, with "@" in place of its position
     */
    public static function letter(string $id, array $fields, string $source, int $now): string
    {
        $letter = new DeadLetter(
            Position::start(),
            "{$source}/{$id}",
            min($now, 1000 * min(intdiv($now, 1000), StreamId::halves($id)[0])),
            $now,
            'redis',
            "The stream's entry {$id} was not written by the buffer.",
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
            // The fields are no valid row, so the letter cannot be retried, but it shows the text.
            return implode(' ', $texts);
        }
    }
}
