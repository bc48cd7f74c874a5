<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Permanent;
use Headroom\Core\Printable;
use RuntimeException;

/**
 * @internal
 */
final class UnableToDecode extends RuntimeException implements Permanent
{
    /** @param bool $isOfNewerVersion it waits for that version; else it is of no use to anybody */
    private function __construct(string $message, public readonly bool $isOfNewerVersion)
    {
        parent::__construct($message);
    }

    public static function notARow(int $bytes): self
    {
        return new self("its line of {$bytes} bytes is not an event.", false);
    }

    public static function tooLong(int $bytes, int $limit): self
    {
        return new self("its line is {$bytes} bytes long; the limit is {$limit} bytes. The frame passed its checksum, so a newer version may have written it: deliver with that version.", true);
    }

    public static function unknownTag(string $tag, int $bytes): self
    {
        return new self("its line of {$bytes} bytes has a value with the tag '".Printable::name($tag)."', which this version can not read. A newer version wrote it: deliver with that version.", true);
    }
}
