<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The buffer's directory holds a file that the buffer did not make. It was not used; remove it.
 */
final class ForeignFile extends RuntimeException implements Permanent, UnableToFlush
{
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notRegular(string $path, string $strangeness): self
    {
        return new self(
            "{$path} is {$strangeness}, which the buffer never makes, so it was not used and nothing is lost."
                .' Find out how it came there, and remove it: docs/errors.md#foreign-file.',
            $path,
        );
    }

    public static function hardLink(string $slot, string $segment): self
    {
        return new self(
            "Segment {$slot} is a hard link to {$segment}, so its events would be delivered twice. Find out how it"
                ." came there, and remove {$slot}: docs/errors.md#foreign-file.",
            $slot,
        );
    }

    public static function numberTooHigh(string $path, int $last): self
    {
        return new self(
            'Segment '.basename($path)
                ." has a number far above {$last}, the last number that a flush assigned, so nothing was"
                .' sent. Move it out of '.dirname($path).' or of completed/: docs/errors.md#foreign-file.',
            $path,
        );
    }
}
