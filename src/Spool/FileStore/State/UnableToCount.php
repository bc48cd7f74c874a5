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
        return new self("The counters {$path} cannot be opened: {$reason}. {$ownership}");
    }

    public static function notMade(string $path, string $ownership): self
    {
        return new self("The counters {$path} do not exist and cannot be made. {$ownership}");
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self("The counters {$path} cannot be written: {$reason}.");
    }

    public static function locked(string $path): self
    {
        return new self("The counters {$path} have been locked by another process for a second.");
    }

    public static function removed(string $path): self
    {
        return new self("The counters {$path} were removed at this moment.");
    }

    public static function damaged(string $path): self
    {
        return new self(
            "The counters {$path} are damaged in both records. Remove the file, and counting starts again.",
        );
    }
}
