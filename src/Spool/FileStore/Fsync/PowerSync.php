<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\UnableToCall;

/**
 * What `durability` = `power` adds to an append: before it returns, the frame is on disk, and so is everything by which
 * it will be found.
 *
 * The slot's entry in its directory is on disk before the slot's first frame is written; the header frame then bears a
 * flag. So who meets the flag need not sync the directory, whichever process made the slot, and whether it lived on.
 *
 * @internal
 */
final readonly class PowerSync
{
    /** Numbers from here on belong to slots that were given up: no writer tries them, and every sealer does. */
    private const GIVEN_UP = 1024;

    private const MOST_GIVEN_UP = 8;

    /** Asked before the frame is written: one that cannot be put on disk, or be cut off again, must not be there. */
    public const NEEDED = ['fdatasync', 'fsync', 'ftruncate'];

    public function __construct(private SpoolConfig $config, private string $bucket) {}

    /**
     * Before the first directory below the root is made: an id that a power cut took while it left a bucket could not be
     * told from one that somebody removed.
     *
     * @throws UnableToAppend
     */
    public function rootMade(): void
    {
        self::refuseWhereSwitchedOff();
        $failure = DirectoryFsync::holdRoot($this->config->path);

        if ($failure !== null) {
            throw UnableToAppend::notFindable($this->config->path, $failure);
        }
    }

    /**
     * Before the frame is written, so that the handle sees each error of the writing (errseq, kernel 4.13).
     *
     * @param resource $slot locked, in its place
     * @param int $size 0: the frame to be written is its first
     * @return resource a second handle
     *
     * @throws UnableToAppend
     */
    public function begin($slot, string $path, int $size)
    {
        try {
            self::refuseWhereSwitchedOff();
        } catch (UnableToAppend $e) {
            $this->giveBack($slot, null);

            throw $e;
        }

        $reader = @fopen($path, 're');

        if ($reader === false) {
            $this->giveBack($slot, null);

            throw UnableToAppend::notFindable($path, "{$path} can not be opened for reading");
        }

        stream_set_read_buffer($reader, 0);
        $failure = $size > 0 && fread($reader, strlen(Frame::ENTERED)) === Frame::ENTERED ? null : $this->enter();

        if ($failure !== null) {
            $this->giveBack($slot, $reader);

            throw UnableToAppend::notFindable($path, $failure);
        }

        return $reader;
    }

    /**
     * @param resource $reader
     * @param resource $slot
     * @param int $size before the frame
     *
     * @throws UnableToAppend
     */
    public function finish($reader, $slot, string $path, int $size): void
    {
        if (@fdatasync($reader)) {
            return;
        }

        // The kernel takes the pages for clean now, so another fdatasync() would succeed and mean nothing. The frame is cut
        // off, and what is put on disk is the cut. Nobody writes to this file again.
        $cut = @ftruncate($slot, max(0, $size));
        $after = fstat($slot)['size'] ?? -1;
        $isCutOnDisk = $cut && $after === $size && @fsync($reader);
        $this->giveUp($path);
        $this->giveBack($slot, $reader);

        throw match (true) {
            ! $cut || $after !== $size => UnableToAppend::notCutBack($path, $after, $size),
            ! $isCutOnDisk => UnableToAppend::cutNotOnDisk($path),
            default => UnableToAppend::notOnDisk($path),
        };
    }

    private static function refuseWhereSwitchedOff(): void
    {
        foreach (self::NEEDED as $function) {
            function_exists($function) || throw UnableToAppend::because(UnableToCall::switchedOff($function));
        }
    }

    /** @return ?string what is not on disk */
    private function enter(): ?string
    {
        $layout = new Layout($this->config->path, $this->bucket);

        return (new DirectoryFsync($this->config->path, $layout, Permissions::of($this->config)))->hold() ?? Sync::path($layout->active);
    }

    /**
     * Under a number that no writer tries. The name is free for good once it is seen free: only who holds the slot of
     * this number moves it, and the next one of that number comes after.
     */
    private function giveUp(string $path): void
    {
        $number = (int) substr($path, -8, 4);

        for ($times = 1; $times <= self::MOST_GIVEN_UP; $times++) {
            $aside = substr($path, 0, -8).sprintf('%04d.log', $number % self::GIVEN_UP + $times * self::GIVEN_UP);
            clearstatcache();

            if (! file_exists($aside)) {
                @rename($path, $aside);

                return;
            }
        }
    }

    /**
     * @param resource $slot
     * @param ?resource $reader
     */
    private function giveBack($slot, $reader): void
    {
        if ($reader !== null) {
            fclose($reader);
        }

        // A forked child may have it open, too.
        flock($slot, LOCK_UN);
        fclose($slot);
    }
}
