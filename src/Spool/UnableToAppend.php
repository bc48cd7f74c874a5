<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Retryable;
use Headroom\Support\TerminalText;
use Headroom\Support\UnableToCall;
use RuntimeException;
use Throwable;

/**
 * The event is not in the buffer. A partial frame was cut off, unless the failure is AppendFailure::Uncertain.
 */
final class UnableToAppend extends RuntimeException implements Retryable
{
    private function __construct(
        string $message,
        public readonly string $path,
        public readonly AppendFailure $failure = AppendFailure::Other,
        ?Throwable $previous = null,
    ) {
        parent::__construct(TerminalText::line($message), 0, $previous);
    }

    public static function wroteTooLittle(string $path, int $written, int $wanted, string $reason): self
    {
        return new self(
            "Buffer file {$path}: wrote {$written} of {$wanted} bytes ({$reason}), and the partial frame"
                .' was cut off. The event was not accepted; free space on that disk, then try again.',
            $path,
            self::shortage($reason),
        );
    }

    public static function notTruncated(string $path, int $size, int $wanted): self
    {
        return new self("Buffer file {$path}: a write failed, and the partial frame could not be cut off (the file"
            ." has {$size} bytes"
            ." instead of {$wanted}). The event may still be delivered; check that disk, and see"
            .' docs/errors.md#uncertain.',
            $path, AppendFailure::Uncertain);
    }

    /** Only with the durability `power`, like the next two. */
    public static function notSynced(string $path): self
    {
        return new self("Buffer file {$path}: fdatasync() failed, so the event was cut off again and was not"
            .' accepted. The file takes'
            .' no more events; look into the kernel log (dmesg), and check that disk.', $path, AppendFailure::IoError);
    }

    /** A power cut may bring the event back, so the event must not go anywhere else. */
    public static function truncationNotSynced(string $path): self
    {
        return new self(
            "Buffer file {$path}: fdatasync() failed for the event, and failed again after the event was cut off. The"
                .' event was not accepted, but a power cut may bring it back; check that disk, and see'
                .' docs/errors.md#uncertain.',
            $path,
            AppendFailure::Uncertain,
        );
    }

    public static function directoryEntryNotSynced(string $path, string $failure): self
    {
        return new self("Buffer file {$path}: its directory entry could not be synced ({$failure}), so a power cut"
            .' could take the file.'
            .' The event was not written; check that disk.', $path, AppendFailure::IoError);
    }

    public static function notOpened(string $path, string $reason, string $owner): self
    {
        return new self(
            "Buffer file {$path} cannot be opened for writing: {$reason}. {$owner} Run `spool:health` as the user"
                .' that serves requests.',
            $path,
            AppendFailure::fromReason($reason),
        );
    }

    public static function directoryNotCreated(string $path, string $reason, string $owner): self
    {
        return new self("Buffer directory {$path} cannot be created: {$reason}. {$owner} Create it, or set spool.path"
            .' to a directory'
            .' that this user may write to.', $path, AppendFailure::fromReason($reason));
    }

    public static function noFreeSlot(string $directory, int $tried): self
    {
        return new self(
            "All {$tried} segments in {$directory} are full or locked by other writers. Check with `spool:status` that"
                .' a flush is running.',
            $directory,
            AppendFailure::NoFreeSlot,
        );
    }

    public static function nodeIdUnreadable(string $path, string $reason, string $owner = ''): self
    {
        return new self(
            "The node id in {$path} cannot be read or created: {$reason}.".($owner === '' ? '' : " {$owner}")
                .' Run `spool:health`.',
            $path,
            AppendFailure::fromReason($reason),
        );
    }

    /**
     * Converts the failure of a function that the host has disabled. Nothing was written, because the buffer checks for
     * every function that it needs before it writes.
     *
     * @throws Throwable any other failure, unchanged
     */
    public static function because(Throwable $e): self
    {
        $e = UnableToCall::behind($e);

        return match (true) {
            $e instanceof self => $e,
            $e instanceof UnableToCall => new self($e->getMessage(), '', AppendFailure::SwitchedOff, $e),
            default => throw $e,
        };
    }

    public static function quotaReached(string $directory, int $used, int $wanted, int $quota): self
    {
        return new self("Bucket {$directory} holds {$used} undelivered bytes, and {$wanted} more would exceed its"
            ." max_bytes of {$quota}."
            ." Deliver them with `spool:flush`, or raise the bucket's 'max_bytes'.", $directory, AppendFailure::Quota);
    }

    public static function reserveReached(string $directory, int $free, int $wanted, int $reserve): self
    {
        return new self(
            "The disk of {$directory} has {$free} bytes left, and {$wanted} more would leave less than"
                ." min_free_bytes, {$reserve}. Free"
                .' space (`spool:clean --older-than=0` removes delivered segments), or lower spool.min_free_bytes.',
            $directory,
            AppendFailure::Reserve,
        );
    }

    /**
     * For events that were to bypass the buffer, like the next two.
     *
     * @param int $arrived events of the same call that the sink has taken all the same
     */
    public static function sinkFailed(string $bucket, Throwable $sink, int $arrived = 0): self
    {
        return new self(
            "Events of bucket '{$bucket}' were not buffered, and its sink did not take them: {$sink->getMessage()}"
                .' '.self::notKept($arrived),
            $bucket,
            AppendFailure::Sink,
            $sink,
        );
    }

    public static function sinkWritesToOwnBucket(string $bucket): self
    {
        return new self(
            "The sink of bucket '{$bucket}' writes events to the same bucket, and these go directly to"
                .' the same sink again, without end. Let the sink write to another bucket, or buffer these events.',
            $bucket,
            AppendFailure::Sink,
        );
    }

    public static function noSink(string $bucket): self
    {
        return new self("Events of bucket '{$bucket}' cannot go to its sink directly, because the bucket has none."
            ." Declare '{$bucket}'"
            ." with a 'sink' under spool.buckets.", $bucket, AppendFailure::Sink);
    }

    /** @param int $arrived events of the same call that the sink has taken all the same */
    public static function sinkFailedToo(self $refusal, Throwable $sink, int $arrived = 0): self
    {
        return new self(
            "{$refusal->getMessage()} The sink did not take the events either: {$sink->getMessage()} "
                .self::notKept($arrived),
            $refusal->path,
            $refusal->failure,
            $sink,
        );
    }

    public static function notDeliveredDirectly(self $refusal, string $why): self
    {
        return new self(
            "{$refusal->getMessage()} The event could not go to the sink directly: {$why}",
            $refusal->path,
            $refusal->failure,
            $refusal,
        );
    }

    public static function redis(string $bucket, Throwable $failure): self
    {
        return new self("Bucket '{$bucket}': {$failure->getMessage()}", '', AppendFailure::Redis, $failure);
    }

    public static function redisSuspended(string $bucket, int $seconds): self
    {
        return new self(
            "Bucket '{$bucket}': Redis did not answer; the buffer asks it again at most every {$seconds} s.",
            '',
            AppendFailure::Redis,
        );
    }

    public static function notReplicated(string $bucket, int $confirmed, int $wanted, int $millis): self
    {
        return new self("Bucket '{$bucket}': {$confirmed} of {$wanted} Redis replicas (spool.redis.wait) confirmed"
            ." the event within {$millis} ms.", '', AppendFailure::Redis);
    }

    /** Redis may have the event, so the event must not go anywhere else. */
    public static function maybeInRedis(self $disk): self
    {
        return new self(
            "{$disk->getMessage()} Redis was asked before and did not answer, so the event may still be delivered; see"
                .' docs/errors.md#uncertain.',
            $disk->path,
            AppendFailure::Uncertain,
            $disk,
        );
    }

    private static function notKept(int $arrived): string
    {
        return ($arrived === 0
            ? 'They were not kept'
            : "The sink took {$arrived} events of the call, and the others were not kept")
            .', so nothing sends them again.';
    }

    /** A short write means that space ran out, also when the second attempt found some space again. */
    private static function shortage(string $reason): AppendFailure
    {
        $failure = AppendFailure::fromReason($reason);

        return $failure === AppendFailure::Other ? AppendFailure::DiskFull : $failure;
    }
}
