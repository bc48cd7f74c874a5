<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Printable;
use Headroom\Core\Retryable;
use RuntimeException;

/**
 * The event is not in the buffer. Where only a part of it had been written, that part was cut off again first.
 */
final class UnableToAppend extends RuntimeException implements Retryable
{
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(Printable::line($message));
    }

    public static function wroteTooLittle(string $path, int $written, int $wanted, string $reason): self
    {
        return new self("Buffer file {$path}: wrote {$written} of {$wanted} bytes ({$reason}). The partial frame was cut off; nothing before it is lost and nothing of this event was accepted. Free space on that disk, then try again.", $path);
    }

    public static function notCutBack(string $path, int $size, int $wanted): self
    {
        return new self("Buffer file {$path}: a write failed and the partial frame could not be cut off again (the file has {$size} bytes, it should have {$wanted}). The next reader skips the part; this event was not accepted. Check that disk.", $path);
    }

    public static function notOpened(string $path, string $reason, string $owner): self
    {
        return new self("Buffer file {$path} can not be opened for writing: {$reason}. {$owner} Run `php artisan spool:health` as the user that serves requests.", $path);
    }

    public static function directoryNotCreated(string $path, string $reason, string $owner): self
    {
        return new self("Buffer directory {$path} can not be created: {$reason}. {$owner} Create it, or point spool.path to a directory this user may write to.", $path);
    }

    public static function noFreeSlot(string $directory, int $tried): self
    {
        return new self("All {$tried} slots in {$directory} are locked by other writers or full. Is the flush running? See `php artisan spool:status`.", $directory);
    }

    public static function nodeIdUnreadable(string $path, string $reason): self
    {
        return new self("The node id in {$path} can not be read or made: {$reason}. Run `php artisan spool:health`.", $path);
    }
}
