<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
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
        return new self("File {$path} can not be opened for appending: {$reason}. Give the user who flushes the right to write there.");
    }

    public static function notLocked(string $path): self
    {
        return new self("File {$path} can not be locked. Put it on a local filesystem.");
    }

    public static function replacedAgain(string $path): self
    {
        return new self("File {$path} was replaced by another one each time it was opened. Find out what replaces it that often.");
    }

    public static function notSetAside(string $path, string $aside, string $reason): self
    {
        return new self("File {$path} can not be set aside as {$aside}: {$reason}. Nothing was appended to it. Give the user who flushes the right to write to that directory, or take 'rotate' out of the bucket.");
    }

    public static function notOnDisk(string $path): self
    {
        return new self("{$path} could not be put on disk, and the kernel's log (dmesg) tells why; what was written last is written again. Check that disk, and that the user who flushes may read it.");
    }

    public static function wroteTooLittle(string $path, int $written, int $wanted, string $reason): self
    {
        return new self("File {$path}: wrote {$written} of {$wanted} bytes ({$reason}); what was written in part is written again with the rest. Free space on that disk.");
    }
}
