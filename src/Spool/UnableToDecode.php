<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToDecode extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function notARow(string $line): self
    {
        return new self('A line of a frame is not an event: '.self::start($line).'. The frame passed its checksum, so a newer version may have written it: deliver with that version.');
    }

    public static function unknownTag(string $tag, string $line): self
    {
        return new self("A value has the tag '{$tag}', which this version can not read, in the line ".self::start($line).'. A newer version may have written it: deliver with that version.');
    }

    private static function start(string $line): string
    {
        return strlen($line) > 120 ? substr($line, 0, 120).'…' : $line;
    }
}
