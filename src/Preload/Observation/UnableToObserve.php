<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToObserve extends RuntimeException implements Permanent
{
    /** @param bool $isOfPage whether other pages can still be observed */
    private function __construct(string $message, public readonly bool $isOfPage = false)
    {
        parent::__construct($message);
    }

    public static function notWritten(string $file, string $reason): self
    {
        return new self("{$file} cannot be written: {$reason}.");
    }

    public static function notRead(string $file, string $reason): self
    {
        return new self(
            "{$file} cannot be read: {$reason}. It belongs to the workers. Run this command as root or as their user.",
        );
    }

    public static function notRecorded(int $page, string $directory): self
    {
        return new self(
            "Page {$page} left no record in {$directory}, so PHP did not run the script of auto_prepend_file. Check"
                .' whether a .user.ini sets another one, open_basedir excludes that directory, or the workers may not'
                .' write there.',
        );
    }

    public static function unfinished(int $page, int $seconds): self
    {
        return new self(
            "The request of page {$page} has not ended {$seconds} s after its answer, so its classes are unknown."
                .' Remove this page.',
            true,
        );
    }

    public static function cutShort(int $page): self
    {
        return new self(
            "The worker that answered page {$page} was killed or crashed before it had recorded the classes."
                .' Read the log of PHP-FPM, or remove this page.',
            true,
        );
    }
}
