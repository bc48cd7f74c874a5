<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

use Headroom\Core\Clock;
use Headroom\Support\RegularFile;

/**
 * Writes to a history file while this process holds its lock. A flush and a process that finds the bucket busy may both
 * write the same minute.
 *
 * @internal
 */
final class HistoryWriter
{
    /** The file is locked for microseconds. A process that holds it longer is suspended (SIGSTOP). */
    private const TRIES = 20;

    private const PAUSE_MICROS = 250;

    /** A clock that is this many minutes behind the newest record was set back, and not only corrected. */
    private const SET_BACK_MINUTES = 2;

    /** @param resource $file locked */
    private function __construct(private $file) {}

    /** Returns null when the file cannot be written now. */
    public static function open(HistoryFile $history, Clock $clock): ?self
    {
        // A file that is replaced or removed in the meantime is opened again.
        for ($try = 0; $try < 3; $try++) {
            $file = RegularFile::open($history->path, 'r+e');

            if ($file === false && RegularFile::exists($history->path)) {
                return null;
            }

            if ($file === false) {
                $history->create(false);
            } elseif (! self::lock($file, $clock)) {
                fclose($file);

                return null;
            } elseif (RegularFile::inode($history->path) === (fstat($file)['ino'] ?? 0)) {
                stream_set_read_buffer($file, 0);

                if (HistoryFile::isHistory($file)) {
                    return new self($file);
                }

                $history->create(true);
            }

            // Also releases the lock.
            $file === false ? null : fclose($file);
        }

        return null;
    }

    public function close(): void
    {
        fclose($this->file);
    }

    public function minute(int $minute): ?HistoryMinute
    {
        $slot = HistoryMinute::decode($this->read(HistoryFile::minuteAt($minute), HistoryMinute::BYTES));

        return $slot?->minute === $minute ? $slot : null;
    }

    /** Adds to what the file has of the minute. */
    public function add(HistoryMinute $minute): void
    {
        $progress = $this->progress();
        $last = $progress->lastMinute ?? PHP_INT_MAX;

        if ($last - self::SET_BACK_MINUTES >= $minute->minute) {
            $this->clearFrom($minute->minute);
        }

        $this->write(
            HistoryFile::minuteAt($minute->minute),
            ($this->minute($minute->minute)?->plus($minute) ?? $minute)->encode(),
        );

        if ($last !== $minute->minute) {
            $this->saveProgress(($progress ?? new HistoryProgress)->at($minute->minute));
        }
    }

    public function addFailure(int $at, string $message): void
    {
        $message = FlushFailureRecord::message($message);
        $failure = (HistoryFile::failuresIn($this->file)[0] ?? null)?->followedBy($at, $message)
            ?? new FlushFailureRecord($at, $message);
        $this->write(HistoryFile::failureAt($failure->number), $failure->encode());
    }

    public function progress(): ?HistoryProgress
    {
        return HistoryProgress::decode($this->read(HistoryProgress::AT, HistoryProgress::BYTES));
    }

    public function saveProgress(HistoryProgress $progress): void
    {
        $this->write(HistoryProgress::AT, $progress->encode());
    }

    /**
     * Removes records of minutes that are not over by this clock: it was set back, and their numbers would be added to
     * those of other events.
     */
    private function clearFrom(int $minute): void
    {
        $slots = $this->read(HistoryFile::minuteAt(0), HistoryFile::MINUTES * HistoryMinute::BYTES);

        foreach ($slots === '' ? [] : str_split($slots, HistoryMinute::BYTES) as $place => $slot) {
            if ((HistoryMinute::decode($slot)->minute ?? 0) >= $minute) {
                $this->write(HistoryFile::minuteAt($place), str_repeat("\0", HistoryMinute::BYTES));
            }
        }
    }

    private function read(int $offset, int $bytes): string
    {
        return (string) @stream_get_contents($this->file, $bytes, $offset);
    }

    private function write(int $offset, string $record): void
    {
        fseek($this->file, $offset);
        @fwrite($this->file, $record);
    }

    /** @param resource $file */
    private static function lock($file, Clock $clock): bool
    {
        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            if ($try === self::TRIES) {
                return false;
            }

            $clock->sleep(self::PAUSE_MICROS);
        }

        return true;
    }
}
