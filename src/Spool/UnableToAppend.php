<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Retryable;
use Headroom\Support\TerminalText;
use Headroom\Support\UnableToCall;
use RuntimeException;
use Throwable;

/**
 * The event is not in the buffer. Where only a part of it had been written, that part was cut off again first, unless
 * the failure is AppendFailure::Uncertain.
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
        return new self("Buffer file {$path}: wrote {$written} of {$wanted} bytes ({$reason}). The partial frame was cut off; nothing before it is lost and nothing of this event was accepted. Free space on that disk, then try again.", $path, self::shortage($reason));
    }

    public static function notCutBack(string $path, int $size, int $wanted): self
    {
        return new self("Buffer file {$path}: a write failed and the partial frame could not be cut off again (the file has {$size} bytes, it should have {$wanted}). The next reader skips the part; this event was not accepted. Check that disk.", $path, AppendFailure::Uncertain);
    }

    /** Only with durability power, as the next two. */
    public static function notOnDisk(string $path): self
    {
        return new self("Buffer file {$path}: the event was written, but could not be put on disk (fdatasync() failed, and the kernel's log (dmesg) tells why). It was cut off again, also on disk; nothing before it is lost, nothing of it was accepted, and nothing is written to that file again. Check that disk.", $path, AppendFailure::IoError);
    }

    /** It may come back, so nobody may take it elsewhere. */
    public static function cutNotOnDisk(string $path): self
    {
        return new self("Buffer file {$path}: the event was written, but could not be put on disk (fdatasync() failed, and the kernel's log (dmesg) tells why). It was cut off again, but that could not be put on disk either: this event was not accepted, but a power cut may bring it back. Check that disk.", $path, AppendFailure::Uncertain);
    }

    public static function notFindable(string $path, string $failure): self
    {
        return new self("Buffer file {$path}: what leads to it could not be put on disk ({$failure}), so that a power cut could take what is written there. Nothing of this event was written. Check that disk; spool.buckets.*.durability says what is put on disk.", $path, AppendFailure::IoError);
    }

    public static function notOpened(string $path, string $reason, string $owner): self
    {
        return new self("Buffer file {$path} can not be opened for writing: {$reason}. {$owner} Run `spool:health` as the user that serves requests.", $path, AppendFailure::fromReason($reason));
    }

    public static function directoryNotCreated(string $path, string $reason, string $owner): self
    {
        return new self("Buffer directory {$path} can not be created: {$reason}. {$owner} Create it, or point spool.path to a directory this user may write to.", $path, AppendFailure::fromReason($reason));
    }

    public static function noFreeSlot(string $directory, int $tried): self
    {
        return new self("All {$tried} slots in {$directory} are locked by other writers or full. Is the flush running? See `spool:status`.", $directory, AppendFailure::NoFreeSlot);
    }

    public static function nodeIdUnreadable(string $path, string $reason, string $owner = ''): self
    {
        return new self("The node id in {$path} can not be read or made: {$reason}.".($owner === '' ? '' : " {$owner}").' Run `spool:health`.', $path, AppendFailure::fromReason($reason));
    }

    /**
     * Of a function that the host has switched off. Nothing was written: what follows a write is asked for before it.
     *
     * @throws Throwable the failure itself where it is of another kind
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
        return new self("Bucket {$directory} holds {$used} bytes that are not delivered yet, and {$wanted} more would exceed its quota of {$quota}. Let `spool:flush` deliver them, or raise the bucket's 'quota'.", $directory, AppendFailure::Quota);
    }

    public static function reserveReached(string $directory, int $free, int $wanted, int $reserve): self
    {
        return new self("The disk of {$directory} has {$free} bytes left; {$wanted} more would touch the reserve of {$reserve}. Free space on that disk (`spool:clean --older-than=0` removes delivered segments), or lower spool.reserve.", $directory, AppendFailure::Reserve);
    }

    /**
     * Of a call that was to go past the buffer, as the next one.
     *
     * @param int $arrived events of the same call that the sink has taken all the same
     */
    public static function notByTheSink(string $bucket, Throwable $sink, int $arrived = 0): self
    {
        $rest = $arrived === 0 ? 'So they are nowhere, and nothing tries it again.' : "It has taken {$arrived} of that call; the rest is nowhere, and nothing tries it again.";

        return new self("Events of bucket '{$bucket}' were to go to its sink directly, and it did not take them: {$sink->getMessage()} {$rest}", $bucket, AppendFailure::Sink, $sink);
    }

    /** Of what goes past the buffer. */
    public static function endless(string $bucket): self
    {
        return new self("Events of bucket '{$bucket}' lead to events of the same bucket, which go to its sink within the same call, again and again. Past the buffer that has no end.", $bucket, AppendFailure::Sink);
    }

    public static function noSinks(string $bucket): self
    {
        return new self("Events of bucket '{$bucket}' can not go to its sink directly: nothing says what that is. Declare '{$bucket}' with a 'sink' under spool.buckets.", $bucket, AppendFailure::Sink);
    }

    /** @param int $arrived events of the same call that the sink has taken all the same */
    public static function neitherByTheSink(self $refusal, Throwable $sink, int $arrived = 0): self
    {
        $rest = $arrived === 0 ? 'So it is nowhere, and nothing tries it again.' : "It has taken {$arrived} of that call; the rest is nowhere, and nothing tries it again.";

        return new self("{$refusal->getMessage()} The sink, to which it went directly then, did not take it either: {$sink->getMessage()} {$rest}", $refusal->path, $refusal->failure, $sink);
    }

    public static function notDirectly(self $refusal, string $why): self
    {
        return new self("{$refusal->getMessage()} It could not go to the sink directly: {$why}", $refusal->path, $refusal->failure, $refusal);
    }

    public static function redis(string $bucket, Throwable $failure): self
    {
        return new self("Bucket '{$bucket}': {$failure->getMessage()}", '', AppendFailure::Redis, $failure);
    }

    public static function redisRests(string $bucket, int $seconds): self
    {
        return new self("Bucket '{$bucket}': Redis did not answer a moment ago, and is asked again every {$seconds} s only.", '', AppendFailure::Redis);
    }

    public static function notReplicated(string $bucket, int $confirmed, int $wanted, int $millis): self
    {
        return new self("Bucket '{$bucket}': {$confirmed} of {$wanted} replicas of Redis confirmed the event within {$millis} ms, as spool.redis.wait asks for.", '', AppendFailure::Redis);
    }

    /** Nobody may take it elsewhere, for Redis may have it. */
    public static function maybeInRedis(self $disk): self
    {
        return new self("{$disk->getMessage()} Before that Redis had been asked to take it and had not answered: it may be delivered all the same.", $disk->path, AppendFailure::Uncertain, $disk);
    }

    /** A write that was cut short is one of too little space, also where there was some again for the second try. */
    private static function shortage(string $reason): AppendFailure
    {
        $failure = AppendFailure::fromReason($reason);

        return $failure === AppendFailure::Other ? AppendFailure::DiskFull : $failure;
    }
}
