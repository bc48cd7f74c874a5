<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Attempt;
use Headroom\Core\Checkpoint;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * Names the disk that a log lies on, not the host: random, made once, kept in a file beside the buckets.
 *
 * @internal
 */
final readonly class NodeId
{
    /** The id, and white space that an editor may have left. */
    private const MAX_BYTES = 1024;

    /**
     * The first maker wins; the lock makes a crash between creating the file and filling it harmless.
     *
     * @throws UnableToAppend
     */
    public static function of(string $root, Permissions $permissions, ?Checkpoint $checkpoint = null): string
    {
        $path = "{$root}/node";
        $id = self::read($root);

        if ($id !== null) {
            return $id;
        }

        $permissions->makeDirectory($root);
        $reason = '';
        $file = $permissions->open($path, 'c+e', $reason);

        if ($file === false) {
            throw UnableToAppend::nodeIdUnreadable($path, $reason, Permissions::ownership($path));
        }

        $checkpoint?->reached('node.opened');
        flock($file, LOCK_EX);
        $id = self::fill($file, $root);
        fclose($file);

        return $id;
    }

    /** Null when there is none that can be read. */
    public static function read(string $root): ?string
    {
        $file = RegularFile::open("{$root}/node", 're');

        if ($file === false) {
            return null;
        }

        $id = trim((string) fread($file, self::MAX_BYTES));
        fclose($file);

        return self::isValid($id) ? $id : null;
    }

    /**
     * @param resource $file locked
     *
     * @throws UnableToAppend
     */
    private static function fill($file, string $root): string
    {
        $path = "{$root}/node";
        $seen = (string) stream_get_contents($file, self::MAX_BYTES);

        if (self::isValid(trim($seen))) {
            return trim($seen);
        }

        // Nothing, or the beginning of an id, is what a crash leaves, and before the first bucket is made. Anything else
        // somebody did, and under a new id the ledger would know nothing of what it has.
        if (preg_match('/\A[0-9a-f]{0,31}\z/', $seen) !== 1 || self::hasBuckets($root)) {
            throw UnableToAppend::nodeIdUnreadable($path, 'it does not hold the 32 hex digits of an id. Put back the id, which stands behind "node" at the beginning of every file in buckets/*/active, sealed and completed; if there is none, remove this one');
        }

        $id = bin2hex(random_bytes(16));
        $seen === '' || ftruncate($file, 0);
        rewind($file);

        $reason = '';

        return Attempt::run(static fn () => fwrite($file, $id), $reason) === strlen($id) ? $id : throw UnableToAppend::nodeIdUnreadable($path, $reason);
    }

    /** When it is not known, then they are there. */
    private static function hasBuckets(string $root): bool
    {
        try {
            return (new Folder("{$root}/buckets"))->names() !== [];
        } catch (UnableToFlush) {
            return true;
        }
    }

    public static function isValid(string $id): bool
    {
        return strlen($id) === 32 && strspn($id, '0123456789abcdef') === 32;
    }
}
