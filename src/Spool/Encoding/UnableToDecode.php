<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal
 */
final class UnableToDecode extends RuntimeException implements Permanent
{
    /**
     * @param bool $isOfNewerVersion it waits for that version; otherwise no version can read it
     * @param bool $isReadable it is an event, and not one for its sink
     */
    private function __construct(string $message, public readonly bool $isOfNewerVersion, public readonly bool $isReadable = false)
    {
        parent::__construct($message);
    }

    public static function notARow(int $bytes): self
    {
        return new self("its line of {$bytes} bytes is not an event.", false);
    }

    public static function tooLong(int $bytes, int $limit): self
    {
        return new self("its line is {$bytes} bytes long; the limit is {$limit} bytes. Deliver it with the version that wrote it.", true);
    }

    public static function bytesReplaced(string $column): self
    {
        return new self("its value for the binary column '".TerminalText::name($column)."' was not UTF-8, and its bytes were replaced when it was buffered. Set 'utf8' => 'binary' for the bucket; the bytes of this event are lost.", false, true);
    }

    public static function unknownTag(string $tag, int $bytes): self
    {
        return new self("its line of {$bytes} bytes has a value with the tag '".TerminalText::name($tag)."', which this version cannot read. Deliver it with the version that wrote it.", true);
    }
}
