<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A file sink could not write, rotate or sync its file.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToWriteFile extends RuntimeException implements Retryable, UnableToDeliver
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notOpened(string $path, string $reason): self
    {
        return new self(
            "File {$path} cannot be opened for appending: {$reason}. Allow the user that runs the worker to"
                .' write to it.',
        );
    }

    public static function notLocked(string $path): self
    {
        return new self("File {$path} cannot be locked. Put it on a local filesystem.");
    }

    public static function replacedRepeatedly(string $path): self
    {
        return new self("File {$path} was replaced each time it was opened. Find the process that replaces it.");
    }

    public static function notRotated(string $path, string $archived, string $reason): self
    {
        return new self(
            "File {$path} cannot be rotated to {$archived}: {$reason}. Allow the user that runs the worker to write to"
                ." that directory, or remove 'rotate' from the bucket.",
        );
    }

    public static function notSynced(string $path): self
    {
        return new self(
            "{$path} could not be synced to disk; the last delivery is repeated. Check the disk in the kernel's log"
                .' (dmesg), and that the user that runs the worker may read the file.',
        );
    }

    public static function shortWrite(string $path, int $written, int $wanted, string $reason): self
    {
        return new self(
            "File {$path}: wrote {$written} of {$wanted} bytes ({$reason}). Free space on that disk;"
                .' the flusher sends the events again.',
        );
    }
}
