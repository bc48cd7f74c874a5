<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Core\SystemClock;
use Headroom\Sink\Delivery;
use Headroom\Sink\Inspectable;
use Headroom\Sink\JsonLine;
use Headroom\Sink\Sink;
use Headroom\Sink\SyncsToDisk;
use Headroom\Support\ConfigReader;
use Headroom\Support\FileOperation;
use Headroom\Support\TerminalText;

/**
 * Appends each event to a file as one line of JSON. Delivers at least once.
 *
 * Each line carries `_id`, which is the same in every retry, so that a reader can drop the duplicates of a crash. A
 * line that is not valid JSON is the torn write of a killed process; its event follows in a later line.
 *
 * @internal
 */
final class FileSink implements Inspectable, Sink, SyncsToDisk
{
    /** How often a file may be replaced between opening and locking it. */
    private const MAX_REOPENINGS = 10;

    /** False until this process has compressed and deleted the rotated files that an earlier process left. */
    private bool $isCleanedUp = false;

    public function __construct(
        private readonly string $path,
        private readonly ?Rotation $rotation = null,
        private readonly Clock $clock = new SystemClock,
    ) {}

    public static function fromOptions(ConfigReader $options): self
    {
        $known = $options->only(['path', 'rotate', 'gzip', 'keep']);

        return new self($known->string('path'), Rotation::fromOptions($known));
    }

    public function deliver(Delivery $delivery): void
    {
        $lines = '';

        foreach ($delivery->batch as $record) {
            $lines .= JsonLine::of($delivery->idOf($record), $record)."\n";
        }

        // Compress before the lines are written: if the process is killed while it compresses, it has nothing to
        // repeat.
        if ($this->rotation !== null && ($this->rotateIfDue($this->rotation, strlen($lines)) || ! $this->isCleanedUp)) {
            (new Archive($this->resolved()))->cleanUp($this->rotation);
            $this->isCleanedUp = true;
        }

        $file = $this->open();

        try {
            $this->append($file, $lines);
        } finally {
            fclose($file);
        }
    }

    public function sync(): void
    {
        // A pipe or a terminal is not on a disk.
        if (! is_file($this->path)) {
            return;
        }

        foreach ([$this->path, dirname($this->resolved())] as $path) {
            $file = @fopen($path, 're');

            if ($file === false || ! @fsync($file)) {
                throw UnableToWriteFile::notSynced($path);
            }

            fclose($file);
        }
    }

    public function inspect(): array
    {
        $directory = dirname($this->path);
        $isThere = is_file($this->path);
        $writable = $isThere ? is_writable($this->path) : is_dir($directory) && is_writable($directory);

        return match (true) {
            ! $writable => [new Finding(
                $this->path,
                'This user cannot write to the file.',
                $isThere
                    ? 'Allow this user to write to it.'
                    : "Create {$directory} and allow this user to write to it.",
            )],
            $this->rotation === null => [],
            default => $this->examineRotation($this->rotation),
        };
    }

    /** @return list<Finding> */
    private function examineRotation(Rotation $rotation): array
    {
        $resolved = $this->resolved();
        $directory = dirname($resolved);

        if ((file_exists($resolved) && ! is_file($resolved)) || ! is_writable($directory)) {
            return [new Finding(
                $this->path,
                'Rotation needs a regular file in a directory that this user can write to.',
                "Allow this user to write to {$directory}, or remove 'rotate' from the bucket.",
            )];
        }

        $left = $rotation->gzip ? (new Archive($resolved))->uncompressed() : [];

        return $left === [] ? [] : [new Finding(
            $this->path,
            TerminalText::count(count($left), 'file')
                ." in the same directory could not be compressed yet, first {$left[0]}.",
            'The next flush tries again. If that fails too, check the free space of that disk and the owner'
                .' of the files.',
            false,
        )];
    }

    /** @throws UnableToWriteFile */
    private function rotateIfDue(Rotation $rotation, int $more): bool
    {
        $now = intdiv($this->clock->micros(), 1_000_000);
        $file = $this->open();

        try {
            $stat = fstat($file);

            $archive = new Archive($this->resolved());
            $isDue = $stat !== false
                && is_file($this->path)
                && ($rotation->isDue($stat, $more, $now) || $archive->isRotationInterrupted($file));

            if ($isDue) {
                $archive->rotate($file, $now);
            }

            return $isDue;
        } finally {
            fclose($file);
        }
    }

    /** Follows a symlink, so that a rotation replaces the target and not the link. */
    private function resolved(): string
    {
        $target = is_link($this->path) ? realpath($this->path) : false;

        return $target === false ? $this->path : $target;
    }

    /**
     * Another process may rotate the file while this one waits for the lock, so the file is opened again until the path
     * leads to it.
     *
     * @return resource locked, and the file at the path
     *
     * @throws UnableToWriteFile
     */
    private function open()
    {
        for ($opened = 0; $opened < self::MAX_REOPENINGS; $opened++) {
            $reason = '';
            $file = FileOperation::run(fn () => fopen($this->path, 'a+e'), $reason);

            if ($file === false) {
                throw UnableToWriteFile::notOpened($this->path, $reason);
            }

            if (! flock($file, LOCK_EX)) {
                throw UnableToWriteFile::notLocked($this->path);
            }

            // A path with a scheme, such as php://stderr, has no inode to compare.
            if (str_contains($this->path, '://') || Inode::isAt($file, $this->path)) {
                return $file;
            }

            fclose($file);
        }

        throw UnableToWriteFile::replacedRepeatedly($this->path);
    }

    /** @param resource $file */
    private function append($file, string $lines): void
    {
        $size = max(0, fstat($file)['size'] ?? 0);

        // A flusher that was killed in mid-write leaves half a line. The line stays, and the next event starts on a new
        // line.
        $lines = ($this->endsWithinLine($file, $size) ? "\n" : '').$lines;
        $reason = '';
        $written = FileOperation::run(static fn () => fwrite($file, $lines), $reason);

        if ($written !== strlen($lines)) {
            @ftruncate($file, $size);

            throw UnableToWriteFile::shortWrite($this->path, (int) $written, strlen($lines), $reason);
        }
    }

    /** @param resource $file */
    private function endsWithinLine($file, int $size): bool
    {
        return $size > 0 && fseek($file, $size - 1) === 0 && fread($file, 1) !== "\n";
    }
}
