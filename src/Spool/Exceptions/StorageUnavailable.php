<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The disk, Redis or the ledger failed during a flush. The next flush tries again, and succeeds once the cause is gone.
 */
final class StorageUnavailable extends RuntimeException implements Retryable, UnableToFlush
{
    private function __construct(
        string $message,
        public readonly ?string $bucket = null,
        public readonly ?string $path = null,
    ) {
        parent::__construct(TerminalText::line($message));
    }

    /** @param string $what an infinitive: read, remove */
    public static function notPermitted(string $what, string $path, string $reason, string $ownership): self
    {
        if (PhpRestrictions::hide($path)) {
            return new self("{$path} is outside open_basedir, so PHP may not use it. Set spool.path to a"
                .' directory of the site, or ask your host to add it to open_basedir in php.ini.', path: $path);
        }

        return new self(
            "Cannot {$what} {$path}: {$reason}. {$ownership} Flush as the user that serves requests, or let both"
                .' users share a group: docs/errors.md#not-permitted.',
            path: $path,
        );
    }

    public static function notListed(string $path, string $reason, string $ownership): self
    {
        return new self("Cannot list {$path}: {$reason}. {$ownership} Check the limit of open files (`ulimit -n`), the"
            .' rights of this user and that disk; the next flush tries again.', path: $path);
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self("{$path} was not written in full: {$reason}. Check the space on that disk.", path: $path);
    }

    public static function rootMissing(string $root, string $ownership): self
    {
        return new self(
            "{$root} does not exist, and the user that serves requests must create it. {$ownership} Write the"
                .' first event as that user, or run `spool:install` as that user in Laravel.',
            path: $root,
        );
    }

    public static function notRead(string $path, int $offset, string $reason): self
    {
        return new self(
            "{$path} cannot be read from byte {$offset} on: {$reason}. Check that disk; the next flush continues"
                .' at that byte.',
            path: $path,
        );
    }

    public static function stateNotWritten(string $path, string $reason): self
    {
        return new self("The state file {$path} cannot be written: {$reason}. Check that disk.", path: $path);
    }

    public static function notOnDisk(string $what): self
    {
        return new self(
            "Accepted events could not be synced to the disk: {$what}. A power cut may take them until a flush"
                .' succeeds; check that disk, and see docs/errors.md#not-on-disk.',
        );
    }

    public static function deadLetterNotWritten(string $path, string $reason): self
    {
        return new self(
            "The dead letter {$path} cannot be written: {$reason}. Its event stays in the buffer and blocks later"
                .' events of the bucket; check that disk and its permissions.',
            path: $path,
        );
    }

    public static function replicasBehind(string $bucket, int $confirmed, int $replicas, int $millis): self
    {
        return new self("Bucket '{$bucket}' was not delivered: {$confirmed} of {$replicas} Redis replicas confirmed its"
            ." events within {$millis} ms. Look at the lag in INFO replication; see"
            .' docs/errors.md#replicas-behind.', $bucket);
    }

    public static function notReplicated(int $confirmed, int $wanted, int $millis): self
    {
        return new self(
            "{$confirmed} of {$wanted} Redis replicas (spool.redis.wait) confirmed the events within {$millis} ms,"
                .' so they stay on disk. Look at the lag in INFO replication.',
        );
    }

    public static function ledgerUnknown(string $bucket, string $reason): self
    {
        return new self(
            "Events of bucket '{$bucket}' on this machine's disk were not moved to Redis, because the ledger that"
                ." says which are delivered cannot be read: {$reason}",
            $bucket,
        );
    }
}
