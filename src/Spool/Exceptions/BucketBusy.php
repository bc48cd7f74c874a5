<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * Another process has the bucket, or a part of it. Try again when that process is done.
 */
final class BucketBusy extends RuntimeException implements Retryable, UnableToFlush
{
    /** @param ?string $path of the file that the other process has */
    private function __construct(string $message, public readonly string $bucket, public readonly ?string $path = null)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function beingFlushed(string $bucket): self
    {
        return new self("Another process is flushing bucket '{$bucket}'. Try again when it is done,"
            ." or stop it with `spool:pause {$bucket}`.", $bucket);
    }

    public static function lockReplaced(string $stateFile): self
    {
        return new self(
            "The lock file of {$stateFile} was removed or replaced during the flush, so another process may be"
                .' flushing the same bucket. This process has stopped; see docs/errors.md#lock-replaced.',
            basename(dirname($stateFile)),
            $stateFile,
        );
    }

    public static function leaseLost(string $bucket, int $seconds): self
    {
        return new self(
            "Another process took over bucket '{$bucket}' in Redis, because this process did not renew its"
                ." lease for {$seconds} s. This process has stopped; see docs/errors.md#lease-lost.",
            $bucket,
        );
    }

    /** @param string $there cursor that Redis has */
    public static function beingDrained(string $bucket, string $there, string $here): self
    {
        return new self("Another process is moving the events of bucket '{$bucket}' from this machine's disk to"
            ." Redis. It has reached {$there}, and this process has stopped at {$here};"
            .' no event is lost or doubled.', $bucket);
    }

    public static function segmentLocked(string $bucket, string $slot): self
    {
        return new self(
            "A writer keeps segment {$slot} of bucket '{$bucket}' locked, so its events cannot be compared with"
                .' the other copy; nothing was changed. Run the command again, or end that writer first.',
            $bucket,
            $slot,
        );
    }
}
