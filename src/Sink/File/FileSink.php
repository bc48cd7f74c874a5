<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Core\Attempt;
use Headroom\Core\Examinable;
use Headroom\Core\Options;
use Headroom\Core\Problem;
use Headroom\Sink\Delivery;
use Headroom\Sink\Line;
use Headroom\Sink\Sink;
use Headroom\Sink\SyncsToDisk;

/**
 * Appends each event as a line of JSON to a file: at least once. Lines carry `_id`, the same through every retry, so
 * that a reader can drop the doubles that a crash may cause. A line that is no JSON is what a kill in mid-write left; its
 * event comes again further down.
 *
 * @internal
 */
final readonly class FileSink implements Examinable, Sink, SyncsToDisk
{
    public function __construct(private string $path) {}

    public static function fromOptions(Options $options): self
    {
        return new self($options->only(['path'])->string('path'));
    }

    public function deliver(Delivery $delivery): void
    {
        $lines = '';

        foreach ($delivery->batch as $record) {
            $lines .= Line::of($delivery->idOf($record), $record)."\n";
        }

        $reason = '';
        $file = Attempt::run(fn () => fopen($this->path, 'a+e'), $reason);

        if ($file === false) {
            throw UnableToWriteFile::notOpened($this->path, $reason);
        }

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

        foreach ([$this->path, dirname($this->path)] as $path) {
            $file = @fopen($path, 're');

            if ($file === false || ! @fsync($file)) {
                throw UnableToWriteFile::notOnDisk($path);
            }

            fclose($file);
        }
    }

    public function examine(): array
    {
        $directory = dirname($this->path);
        $writable = is_file($this->path) ? is_writable($this->path) : is_dir($directory) && is_writable($directory);

        return $writable ? [] : [new Problem($this->path, 'The file can not be written by this user.', "Make {$directory} and give this user the right to write there.")];
    }

    /** @param resource $file */
    private function append($file, string $lines): void
    {
        if (! flock($file, LOCK_EX)) {
            throw UnableToWriteFile::notLocked($this->path);
        }

        $size = max(0, fstat($file)['size'] ?? 0);

        // A flusher that was killed in mid-write has left half a line. It stays, but nothing is appended to it.
        $lines = ($this->endsWithinLine($file, $size) ? "\n" : '').$lines;
        $reason = '';
        $written = Attempt::run(static fn () => fwrite($file, $lines), $reason);

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
