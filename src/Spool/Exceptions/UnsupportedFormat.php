<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A newer version of this package wrote something that this version cannot read. Flush with that version.
 */
final class UnsupportedFormat extends RuntimeException implements Permanent, UnableToFlush
{
    /** @param string $path of the file, or the key in Redis, or the position of the event */
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function ofState(string $path, string $reason): self
    {
        return new self(
            "The state file {$path} has a valid record that this version cannot read ({$reason}), so nothing was"
                .' sent. Flush with the version that wrote it; see docs/errors.md#unsupported-format.',
            $path,
        );
    }

    public static function ofFrame(string $path, int $offset, int $type): self
    {
        return new self("Segment {$path} has a frame of type {$type} at byte {$offset}, which this version cannot read."
            .' Flush with the version that wrote it; see docs/errors.md#unsupported-format.', $path);
    }

    public static function ofEvent(string $position, string $reason): self
    {
        return new self(
            "The event at {$position} cannot be read: {$reason} See docs/errors.md#unsupported-format.",
            $position,
        );
    }

    public static function ofEntry(string $bucket, string $id, int $version): self
    {
        return new self(
            "Entry {$id} in the stream of bucket '{$bucket}' has version {$version}, which this version cannot"
                .' read. Flush with the version that wrote it; see docs/errors.md#unsupported-format.',
            $id,
        );
    }
}
