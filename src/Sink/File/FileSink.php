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
 * Appends each event as a line of JSON to a file: at least once. Lines carry `_id`, the same through every retry, so
 * that a reader can drop the doubles that a crash may cause. A line that is no JSON is what a kill in mid-write left; its
 * event comes again further down.
 *
 * @internal
 */
final class FileSink implements Inspectable, Sink, SyncsToDisk
{
    /** Each time the file was replaced between opening and locking it. */
    private const MAX_REOPENINGS = 10;

    /** Whether what a process before this one left was looked after. */
    private bool $isTidy = false;

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

        // Before the lines are there: killed while it compresses, it has nothing to repeat.
        if ($this->rotation !== null && ($this->rotates($this->rotation, strlen($lines)) || ! $this->isTidy)) {
            (new Archive($this->resolved()))->tidy($this->rotation);
            $this->isTidy = true;
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
        // A pipe or a terminal has no disk.
        if (! is_file($this->path)) {
            return;
        }

        foreach ([$this->path, dirname($this->resolved())] as $path) {
            $file = @fopen($path, 're');

            if ($file === false || ! @fsync($file)) {
                throw UnableToWriteFile::notOnDisk($path);
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
            ! $writable => [new Finding($this->path, 'The file can not be written by this user.', $isThere ? 'Give this user the right to write to it.' : "Make {$directory} and give this user the right to write there.")],
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
            return [new Finding($this->path, 'It is to be set aside for a new file, and that needs a regular file in a directory that this user may write to.', "Give this user the right to write to {$directory}, or take 'rotate' out of the bucket.")];
        }

        $left = $rotation->gzip ? (new Archive($resolved))->uncompressed() : [];

        return $left === [] ? [] : [new Finding($this->path, TerminalText::count(count($left), 'file')." beside it could not be compressed yet, first {$left[0]}.", 'The next flush tries again. If it stays so, look at the space on that disk and at whose files they are.', false)];
    }

    /** @throws UnableToWriteFile */
    private function rotates(Rotation $rotation, int $more): bool
    {
        $now = intdiv($this->clock->micros(), 1_000_000);
        $file = $this->open();

        try {
            $stat = fstat($file);

            $archive = new Archive($this->resolved());
            $isDue = $stat !== false && is_file($this->path) && ($rotation->isDue($stat, $more, $now) || $archive->isHalfSetAside($file));

            if ($isDue) {
                $archive->setAside($file, $now);
            }

            return $isDue;
        } finally {
            fclose($file);
        }
    }

    /** The file itself: a symlink stays where it is. */
    private function resolved(): string
    {
        $target = is_link($this->path) ? realpath($this->path) : false;

        return $target === false ? $this->path : $target;
    }

    /**
     * @return resource locked, and the one that has the name now: it may have been set aside, by this package or another, while this process waited
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

            // What PHP calls by another scheme, as php://stderr, is no file.
            if (str_contains($this->path, '://') || Inode::isAt($file, $this->path)) {
                return $file;
            }

            fclose($file);
        }

        throw UnableToWriteFile::replacedAgain($this->path);
    }

    /** @param resource $file */
    private function append($file, string $lines): void
    {
        $size = max(0, fstat($file)['size'] ?? 0);

        // A flusher that was killed in mid-write has left half a line. It stays, but nothing is appended to it.
        $lines = ($this->endsWithinLine($file, $size) ? "\n" : '').$lines;
        $reason = '';
        $written = FileOperation::run(static fn () => fwrite($file, $lines), $reason);

        if ($written !== strlen($lines)) {
            @ftruncate($file, $size);

            throw UnableToWriteFile::wroteTooLittle($this->path, (int) $written, strlen($lines), $reason);
        }
    }

    /** @param resource $file */
    private function endsWithinLine($file, int $size): bool
    {
        return $size > 0 && fseek($file, $size - 1) === 0 && fread($file, 1) !== "\n";
    }
}
