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
    /** @param bool $isOfPage whether other pages may well be observed */
    private function __construct(string $message, public readonly bool $isOfPage = false)
    {
        parent::__construct($message);
    }

    public static function notWritten(string $file, string $reason): self
    {
        return new self("{$file} can not be written: {$reason}.");
    }

    public static function notRead(string $file, string $reason): self
    {
        return new self("{$file} can not be read: {$reason}. It is the workers': run this as root or as their user.");
    }

    public static function notWatched(int $page, string $directory): self
    {
        return new self(
            "Page {$page} was asked for and left nothing in {$directory}: PHP did not run the script of"
                .' auto_prepend_file. A .user.ini of the application may set another one, open_basedir may exclude that'
                .' directory, or the workers may not write there.',
        );
    }

    public static function unfinished(int $page, int $seconds): self
    {
        return new self(
            "Page {$page} is answered, and {$seconds} s later its request still goes on: what it uses is not known."
                .' Leave this page out.',
            true,
        );
    }

    public static function cutShort(int $page): self
    {
        return new self(
            "The process that answered page {$page} ended before it could tell which classes it used: it was killed,"
                .' or crashed. Look at the log of PHP-FPM, or leave this page out.',
            true,
        );
    }
}
