<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * Recognizes active segments that a restored copy of the directory has brought back. Such a file was sealed before. If
 * it were sealed again under a second number, its events would be delivered twice. Only frames that the sealed segment
 * does not have are new.
 *
 * @internal
 */
final readonly class DuplicateSegments
{
    private const CHUNK_BYTES = 262_144;

    private const LENGTH_AT = 8;

    private const ACCEPTED_AT = 20;

    /**
     * @param int<0, max> $highest number of the last segment before this round
     * @param bool $isSynced whether the new frames are put on disk before the file is replaced
     */
    public function __construct(private Layout $layout, private int $highest, private bool $isSynced) {}

    /**
     * @param resource $file the active segment, locked
     * @return bool true when it was a duplicate: the file is removed, or a file with only the new frames has replaced
     *     it
     *
     * @throws UnableToFlush
     */
    public function cut($file, string $path): bool
    {
        $header = self::header($file);
        $segment = $header === null ? null : $this->sealedSegmentWith($header);

        if ($header === null || $segment === null) {
            return false;
        }

        $new = $this->framesAfter($file, self::commonBytes($file, $segment), strlen($header));
        fclose($segment);
        $reason = '';

        if (! FileOperation::run(
            fn (): bool => $new === '' ? unlink($path) : $this->replace($path, self::withNewNonce($header).$new),
            $reason,
        )) {
            throw StorageUnavailable::notPermitted(
                'replace active segment',
                $path,
                $reason,
                Permissions::ownership($path),
            );
        }

        return true;
    }

    /**
     * Reads the header frame. Its nonce makes it different in each segment.
     *
     * @param resource $file
     */
    private static function header($file): ?string
    {
        rewind($file);
        $head = (string) fread($file, Frame::HEADER_BYTES);
        $isHeader = strlen($head) === Frame::HEADER_BYTES
            && str_starts_with($head, Frame::MAGIC)
            && ord($head[4]) === Frame::TYPE_HEADER;
        $bytes = $isHeader ? self::number('N', $head, self::LENGTH_AT) + Frame::CHECKSUM_BYTES : 0;
        $rest = $bytes > 0 && $bytes < self::CHUNK_BYTES ? (string) fread($file, $bytes) : '';

        return $rest !== '' && strlen($rest) === $bytes && str_contains($rest, '"nonce"') ? $head.$rest : null;
    }

    /**
     * Searches the segments from the newest one back. Usually the newest is older than the active segment, and the
     * search ends there.
     *
     * @return resource|null
     */
    private function sealedSegmentWith(string $header)
    {
        $begun = self::number('J', $header, self::ACCEPTED_AT);

        for ($sequence = $this->highest; $sequence > 0; $sequence--) {
            $path = $this->layout->sealedSegment($sequence);
            $path = RegularFile::exists($path) ? $path : $this->layout->completedSegment($sequence);
            $file = RegularFile::open($path, 're');

            // The rename of a seal sets the ctime, in whole seconds. A segment that was sealed before this file was
            // begun is not a copy of it.
            if ($file === false || ((fstat($file)['ctime'] ?? 0) + 1) * 1_000_000 < $begun) {
                return null;
            }

            if (fread($file, max(1, strlen($header))) === $header) {
                return $file;
            }

            fclose($file);
        }

        return null;
    }

    /**
     * @param resource $one
     * @param resource $other
     * @return int<0, max> number of leading bytes that both files have in common
     */
    private static function commonBytes($one, $other): int
    {
        rewind($one);
        rewind($other);

        for ($bytes = 0; ; $bytes += strlen($left)) {
            [$left, $right] = [(string) fread($one, self::CHUNK_BYTES), (string) fread($other, self::CHUNK_BYTES)];

            if ($left === '' || $left !== $right) {
                return $bytes + strspn($left ^ $right, "\0");
            }
        }
    }

    /**
     * @param resource $file
     * @param int<0, max> $commonBytes
     * @param int<0, max> $offset where the first of these frames begins in the new file
     *
     * @throws UnableToFlush
     */
    private function framesAfter($file, int $commonBytes, int $offset): string
    {
        $frames = '';

        foreach ((new SegmentReader($file))->read() as $item) {
            if ($item instanceof Frame && $item->type === Frame::TYPE_EVENTS && $item->end > $commonBytes) {
                $frames .= Frame::events($item->payload, $item->count, $offset + strlen($frames), $item->acceptedAt);
            }
        }

        return $frames;
    }

    private static function withNewNonce(string $header): string
    {
        $payload = substr($header, Frame::HEADER_BYTES, -Frame::CHECKSUM_BYTES);
        $withNewNonce = (string) preg_replace(
            '/"nonce":"[0-9a-f]{16}"/',
            '"nonce":"'.bin2hex(random_bytes(8)).'"',
            $payload,
        );

        return Frame::header($withNewNonce, self::number('J', $header, self::ACCEPTED_AT), ord($header[5]) === 1);
    }

    /**
     * The caller holds the lock of the old file: a writer that waits for it then sees that another file has its path.
     */
    private function replace(string $path, string $content): bool
    {
        $new = "{$this->layout->directory}/".basename($path).'.'.bin2hex(random_bytes(4)).'.new';
        $stat = stat($path);
        $isWritten = file_put_contents($new, $content) === strlen($content);

        if ($stat !== false) {
            PhpRestrictions::call('chmod', $new, $stat['mode'] & 0777);
            PhpRestrictions::call('chgrp', $new, $stat['gid']);
            PhpRestrictions::call('chown', $new, $stat['uid']);
        }

        $failure = $this->isSynced ? Sync::path($new) : null;

        return $failure !== null ? throw StorageUnavailable::notOnDisk($failure) : $isWritten && rename($new, $path);
    }

    /** @param 'J'|'N' $format */
    private static function number(string $format, string $bytes, int $at): int
    {
        $read = unpack($format, $bytes, $at);

        return is_array($read) && is_int($read[1] ?? null) ? $read[1] : 0;
    }
}
