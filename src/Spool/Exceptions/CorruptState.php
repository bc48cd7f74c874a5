<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The file that says how far a bucket is delivered is damaged. Restore it from a backup.
 */
final class CorruptState extends RuntimeException implements Permanent, UnableToFlush
{
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function ofBothRecords(string $path): self
    {
        return new self("Both records of the state file {$path} are damaged, so the delivered position is unknown and"
            .' nothing was sent. Restore the file from a backup; see docs/errors.md#corrupt-state.', $path);
    }
}
