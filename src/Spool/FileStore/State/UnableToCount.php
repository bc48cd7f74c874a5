<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Retryable;
use RuntimeException;

/**
 * A bucket's counters could not be read or written.
 *
 * @internal
 */
final class UnableToCount extends RuntimeException implements Retryable
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function notOpened(string $path, string $reason, string $ownership): self
    {
        return new self("The counters file {$path} cannot be opened: {$reason}. {$ownership}");
    }

    public static function notCreated(string $path, string $ownership): self
    {
        return new self("The counters file {$path} does not exist and cannot be created. {$ownership}");
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self("The counters file {$path} cannot be written: {$reason}.");
    }

    public static function locked(string $path): self
    {
        return new self("Another process has locked the counters file {$path} for one second.");
    }

    public static function removed(string $path): self
    {
        return new self("The counters file {$path} was removed while this process was opening it.");
    }

    public static function damaged(string $path): self
    {
        return new self(
            "Both records of the counters file {$path} are damaged. Remove the file, and counting starts again.",
        );
    }
}
