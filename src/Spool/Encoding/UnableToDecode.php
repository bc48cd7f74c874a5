<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * Thrown when a line of a bucket is not an event that this version and this sink can read.
 *
 * @internal
 */
final class UnableToDecode extends RuntimeException implements Permanent
{
    /**
     * @param bool $isOfNewerVersion the event is kept for a newer version; false means that no version can read it
     * @param bool $isReadable the line is a valid event, but its sink cannot take it
     */
    private function __construct(
        string $message,
        public readonly bool $isOfNewerVersion,
        public readonly bool $isReadable = false,
    ) {
        parent::__construct($message);
    }

    public static function notARow(int $bytes): self
    {
        return new self("its line of {$bytes} bytes is not an event.", false);
    }

    public static function tooLong(int $bytes, int $limit): self
    {
        return new self(
            "its line is {$bytes} bytes long; the limit is {$limit} bytes. The frame passed its checksum, so a newer"
                .' version may have written it: deliver with that version.',
            true,
        );
    }

    public static function bytesReplaced(string $column): self
    {
        return new self(
            "its value for the binary column '".TerminalText::name($column)."' was not UTF-8, and its bytes were"
                ." replaced when it was buffered, as the bucket's utf8 option says. Set 'utf8' => 'binary' for the"
                .' bucket; the bytes of this event are lost.',
            false,
            true,
        );
    }

    public static function unknownTag(string $tag, int $bytes): self
    {
        return new self(
            "its line of {$bytes} bytes has a value with the tag '".TerminalText::name($tag)
                ."', which this version cannot read. A newer version wrote it: deliver with that version.",
            true,
        );
    }
}
