<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Slots that came back from a copy of the directory: a segment was made of them already, and under a second number their
 * events would be delivered a second time. Only what was appended behind these is new.
 *
 * @internal
 */
final readonly class DuplicateSegments
{
    private const CHUNK_BYTES = 262_144;

    private const LENGTH_AT = 8;

    private const ACCEPTED_AT = 20;

    /**
     * @param int<0, max> $highest the last segment before this round
     * @param bool $isSynced what is new is on disk before the slot is replaced
     */
    public function __construct(private Layout $layout, private int $highest, private bool $isSynced) {}

    /**
     * @param resource $file the slot, locked
     * @return bool true where it was one: the slot is gone, or another one with what is new has its name
     *
     * @throws UnableToFlush
     */
    public function cut($file, string $slot): bool
    {
        $header = self::header($file);
        $segment = $header === null ? null : $this->segmentThatBegins($header);

        if ($header === null || $segment === null) {
            return false;
        }

        $new = $this->framesBehind($file, self::common($file, $segment), strlen($header));
        fclose($segment);
        $reason = '';

        if (! FileOperation::run(fn (): bool => $new === '' ? unlink($slot) : $this->replace($slot, self::renamed($header).$new), $reason)) {
            throw StorageUnavailable::notPermitted('replace slot', $slot, $reason, Permissions::ownership($slot));
        }

        return true;
    }

    /**
     * Each slot's differs, by its nonce.
     *
     * @param resource $file
     */
    private static function header($file): ?string
    {
        rewind($file);
        $head = (string) fread($file, Frame::HEADER_BYTES);
        $isHeader = strlen($head) === Frame::HEADER_BYTES && str_starts_with($head, Frame::MAGIC) && ord($head[4]) === Frame::TYPE_HEADER;
        $bytes = $isHeader ? self::number('N', $head, self::LENGTH_AT) + Frame::CHECKSUM_BYTES : 0;
        $rest = $bytes > 0 && $bytes < self::CHUNK_BYTES ? (string) fread($file, $bytes) : '';

        return $rest !== '' && strlen($rest) === $bytes && str_contains($rest, '"nonce"') ? $head.$rest : null;
    }

    /**
     * The last one is older than most slots, and nothing else is looked at then.
     *
     * @return resource|null
     */
    private function segmentThatBegins(string $header)
    {
        $begun = self::number('J', $header, self::ACCEPTED_AT);

        for ($sequence = $this->highest; $sequence > 0; $sequence--) {
            $path = $this->layout->sealedSegment($sequence);
            $path = BufferFile::isThere($path) ? $path : $this->layout->completedSegment($sequence);
            $file = BufferFile::open($path, 're');

            // A rename changes the time, to the second; what was renamed before the slot was begun was not made of it.
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
     * @return int<0, max> bytes that both begin with
     */
    private static function common($one, $other): int
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
     * @param int<0, max> $common
     * @param int<0, max> $offset where the first of them is to begin
     *
     * @throws UnableToFlush
     */
    private function framesBehind($file, int $common, int $offset): string
    {
        $frames = '';

        foreach ((new SegmentReader($file))->read() as $item) {
            if ($item instanceof Frame && $item->type === Frame::TYPE_EVENTS && $item->end > $common) {
                $frames .= Frame::events($item->payload, $item->count, $offset + strlen($frames), $item->acceptedAt);
            }
        }

        return $frames;
    }

    private static function renamed(string $header): string
    {
        $payload = substr($header, Frame::HEADER_BYTES, -Frame::CHECKSUM_BYTES);
        $renamed = (string) preg_replace('/"nonce":"[0-9a-f]{16}"/', '"nonce":"'.bin2hex(random_bytes(8)).'"', $payload);

        return Frame::header($renamed, self::number('J', $header, self::ACCEPTED_AT), ord($header[5]) === 1);
    }

    /** Under the slot's lock: a writer that waits for it sees that the name is another file's now. */
    private function replace(string $slot, string $content): bool
    {
        $new = "{$this->layout->directory}/".basename($slot).'.'.bin2hex(random_bytes(4)).'.new';
        $stat = stat($slot);
        $isWritten = file_put_contents($new, $content) === strlen($content);

        if ($stat !== false) {
            PhpRestrictions::call('chmod', $new, $stat['mode'] & 0777);
            PhpRestrictions::call('chgrp', $new, $stat['gid']);
            PhpRestrictions::call('chown', $new, $stat['uid']);
        }

        $failure = $this->isSynced ? Sync::path($new) : null;

        return $failure !== null ? throw StorageUnavailable::notOnDisk($failure) : $isWritten && rename($new, $slot);
    }

    /** @param 'J'|'N' $format */
    private static function number(string $format, string $bytes, int $at): int
    {
        $read = unpack($format, $bytes, $at);

        return is_array($read) && is_int($read[1] ?? null) ? $read[1] : 0;
    }
}
