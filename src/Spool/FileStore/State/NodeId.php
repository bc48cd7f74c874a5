<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use FilesystemIterator;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Fsync\PowerSync;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;
use Headroom\Support\RegularFile;
use UnexpectedValueException;

/**
 * A random id of the disk that a log is on, not of the host. It is created once, and kept in a file next to the
 * buckets.
 *
 * @internal
 */
final readonly class NodeId
{
    /** Enough for the id, the former ids, and white space that an editor may have left. */
    private const MAX_BYTES = 1024;

    /**
     * Reads the id, or creates it under a lock. If a process crashes between creating the file and filling it, the next
     * one fills it.
     *
     * @throws UnableToAppend
     */
    public static function of(string $root, Permissions $permissions, ?FaultPoint $faultPoint = null): string
    {
        $id = self::read($root);

        if ($id !== null) {
            return $id;
        }

        $file = self::locked($root, $permissions, $faultPoint);
        $id = self::fill($file, $root);
        fclose($file);

        return $id;
    }

    /**
     * Creates the directories of a bucket. Before the first bucket of a disk it creates a new id: an id that exists
     * already came with an image or a template, and another disk has it as well.
     *
     * @throws UnableToAppend
     */
    public static function makeBucket(
        Layout $layout,
        Permissions $permissions,
        ?FaultPoint $faultPoint = null,
        ?PowerSync $power = null,
    ): void {
        $isNew = ! is_dir($layout->directory);
        $file = $isNew ? self::locked($layout->root, $permissions, $faultPoint) : null;

        if ($file !== null) {
            self::hasBuckets($layout->root) ? self::fill($file, $layout->root) : self::write($file, $layout->root);
        }

        // The id is on disk before the bucket, so that no power cut can leave a bucket without an id.
        $power?->syncRoot();

        if ($file !== null) {
            // Created under the lock, because the id is final once a bucket exists.
            $permissions->makeDirectory($layout->directory);
            fclose($file);
        }

        array_map($permissions->makeDirectory(...), $layout->directories());
    }

    /**
     * @return resource
     *
     * @throws UnableToAppend
     */
    private static function locked(string $root, Permissions $permissions, ?FaultPoint $faultPoint)
    {
        $permissions->makeDirectory($root);
        $path = "{$root}/node";
        $reason = '';
        $file = $permissions->open($path, 'c+e', $reason);

        if ($file === false) {
            throw UnableToAppend::nodeIdUnreadable($path, $reason, Permissions::ownership($path));
        }

        $faultPoint?->reached('node.opened');
        flock($file, LOCK_EX);

        return $file;
    }

    /** @return ?string null when there is no valid id, or this user cannot read it */
    public static function read(string $root): ?string
    {
        $id = self::lines($root)[0] ?? '';

        return self::isValid($id) ? $id : null;
    }

    /** @return list<string> ids that the disk had before; files written then still have them */
    public static function former(string $root): array
    {
        return array_values(array_filter(array_slice(self::lines($root), 1), self::isValid(...)));
    }

    /**
     * Puts a new id in front of the present one. A rename replaces the file, so a crash leaves the old or the new file,
     * each complete.
     *
     * @throws UnableToFlush
     */
    public static function replace(string $root, string $id, Permissions $permissions): void
    {
        $path = "{$root}/node";
        $lines = array_slice([$id, ...self::lines($root)], 0, intdiv(self::MAX_BYTES, strlen($id) + 1));
        @unlink("{$path}.new");
        (new RootDirectory($root, $permissions))->write("{$path}.new", 'xe', implode("\n", $lines));
        $reason = Sync::path("{$path}.new") ?? '';

        if ($reason !== '' || ! FileOperation::run(static fn (): bool => rename("{$path}.new", $path), $reason)) {
            throw StorageUnavailable::notWritten($path, $reason);
        }

        Sync::path($root);
    }

    /** @return list<string> */
    private static function lines(string $root): array
    {
        $content = RegularFile::read("{$root}/node", self::MAX_BYTES);
        $lines = preg_split('/\s+/', $content === false ? '' : $content, -1, PREG_SPLIT_NO_EMPTY);

        return $lines === false ? [] : $lines;
    }

    /**
     * @param resource $file locked
     *
     * @throws UnableToAppend
     */
    private static function fill($file, string $root): string
    {
        $path = "{$root}/node";
        $content = (string) stream_get_contents($file, self::MAX_BYTES);
        $id = strtok($content, " \t\r\n");

        if ($id !== false && self::isValid($id)) {
            return $id;
        }

        // A crash leaves an empty file or the beginning of an id, and only before the first bucket is created. Any
        // other content was edited. With a new id, the ledger would not recognize what it has recorded.
        if (preg_match('/\A[0-9a-f]{0,31}\z/', $content) !== 1 || self::hasBuckets($root)) {
            throw UnableToAppend::nodeIdUnreadable(
                $path,
                'it does not hold the 32 hex digits of an id',
            );
        }

        return self::write($file, $root);
    }

    /**
     * @param resource $file locked
     *
     * @throws UnableToAppend
     */
    private static function write($file, string $root): string
    {
        $id = bin2hex(random_bytes(16));
        (fstat($file)['size'] ?? 1) === 0 || ftruncate($file, 0);
        rewind($file);

        $reason = '';

        return FileOperation::run(static fn () => fwrite($file, $id), $reason) === strlen($id)
            ? $id
            : throw UnableToAppend::nodeIdUnreadable("{$root}/node", $reason);
    }

    /** Also true when the directory cannot be listed. It reads one name: each bucket of ten thousand asks. */
    public static function hasBuckets(string $root): bool
    {
        try {
            return (new FilesystemIterator("{$root}/buckets"))->valid();
        } catch (UnexpectedValueException) {
            return ! Path::isAbsent("{$root}/buckets");
        }
    }

    public static function isValid(string $id): bool
    {
        return strlen($id) === 32 && strspn($id, '0123456789abcdef') === 32;
    }
}
