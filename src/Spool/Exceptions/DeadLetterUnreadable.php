<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The file of a dead letter cannot be read. Other dead letters are not affected.
 */
final class DeadLetterUnreadable extends RuntimeException implements Permanent, UnableToFlush
{
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function because(string $path, string $reason): self
    {
        return new self(
            "The dead letter {$path} cannot be read: {$reason}. Restore the file from a backup, or forget the"
                .' letter: docs/errors.md#dead-letter-unreadable.',
            $path,
        );
    }
}
