<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\RegularFile;

/**
 * The last day of a bucket, minute by minute, and its last failures; docs/spool-format.md, "The history file".
 *
 * The file has a fixed size. A record never crosses a page of the kernel, and has a checksum: a record that a crash or
 * another program damaged is left out, and the others stay.
 *
 * @internal
 */
final readonly class HistoryFile
{
    public const MINUTES = 1_440;

    public const FAILURES = 16;

    public const HEADER_BYTES = 512;

    private const FAILURES_AT = self::HEADER_BYTES;

    private const MINUTES_AT = self::FAILURES_AT + self::FAILURES * FlushFailureRecord::BYTES;

    public const BYTES = self::MINUTES_AT + self::MINUTES * HistoryMinute::BYTES;

    private const MAGIC = "\xF5HH\x01";

    private function __construct(public string $path, public Permissions $permissions, public ?string $root = null) {}

    public static function of(Layout $layout, Permissions $permissions): self
    {
        return new self($layout->historyFile(), $permissions);
    }

    /**
     * The file of a bucket in Redis. It is not in the bucket's directory, which would make a bucket on disk of it.
     *
     * @param string $bucket a valid name
     */
    public static function ofRedis(string $root, string $bucket, Permissions $permissions): self
    {
        return new self("{$root}/redis-history/{$bucket}", $permissions, $root);
    }

    /**
     * @param int $from minutes since the Unix epoch
     * @param int $to the last minute, at most MINUTES - 1 after the first
     * @return array<int, HistoryMinute> by minute, ascending; damaged or foreign slots are left out
     */
    public function minutes(int $from, int $to): array
    {
        $from = max(1, $from, $to - self::MINUTES + 1);
        $file = $from > $to ? null : $this->open();

        if ($file === null) {
            return [];
        }

        $minutes = [];

        for ($next = $from; $next <= $to;) {
            $first = $next % self::MINUTES;
            $count = min($to - $next + 1, self::MINUTES - $first);
            $length = $count * HistoryMinute::BYTES;
            $slots = (string) @stream_get_contents($file, $length, self::minuteAt($next));

            foreach ($slots === '' ? [] : str_split($slots, HistoryMinute::BYTES) as $slot) {
                $minute = self::minute($file, $next++, $slot);

                if ($minute !== null) {
                    $minutes[$minute->minute] = $minute;
                }
            }

            if (strlen($slots) < $length) {
                break;
            }
        }

        fclose($file);

        return $minutes;
    }

    /** @return list<FlushFailureRecord> newest first, at most FAILURES */
    public function failures(): array
    {
        $file = $this->open();
        $failures = $file === null ? [] : self::failuresIn($file);
        $file === null ? null : fclose($file);

        return $failures;
    }

    /**
     * @param resource $file
     * @return list<FlushFailureRecord> newest first
     */
    public static function failuresIn($file): array
    {
        $bytes = (string) @stream_get_contents($file, self::FAILURES * FlushFailureRecord::BYTES, self::FAILURES_AT);
        $failures = [];

        foreach ($bytes === '' ? [] : str_split($bytes, FlushFailureRecord::BYTES) as $place => $record) {
            $failure = FlushFailureRecord::decode($record);

            // A record in another place was copied there.
            if ($failure !== null && $failure->number % self::FAILURES === $place) {
                $failures[$failure->number] = $failure;
            }
        }

        krsort($failures);

        return array_values($failures);
    }

    /** @return string the first bytes of the file, which never change */
    public static function header(): string
    {
        $header = self::MAGIC.pack(
            'NNNN',
            self::MINUTES,
            HistoryMinute::BYTES,
            self::FAILURES,
            FlushFailureRecord::BYTES,
        );

        return $header.hash('crc32c', $header, true);
    }

    public static function minuteAt(int $minute): int
    {
        return self::MINUTES_AT + $minute % self::MINUTES * HistoryMinute::BYTES;
    }

    public static function failureAt(int $number): int
    {
        return self::FAILURES_AT + $number % self::FAILURES * FlushFailureRecord::BYTES;
    }

    /** @param resource $file */
    public static function isHistory($file): bool
    {
        $header = self::header();

        return (fstat($file)['size'] ?? 0) === self::BYTES
            && @stream_get_contents($file, strlen($header), 0) === $header;
    }

    /** @param resource $file */
    private static function minute($file, int $number, string $slot): ?HistoryMinute
    {
        $minute = HistoryMinute::decode($slot);

        // A process may be writing it at this moment.
        if ($minute === null && trim($slot, "\0") !== '') {
            $minute = HistoryMinute::decode(
                (string) @stream_get_contents($file, HistoryMinute::BYTES, self::minuteAt($number)),
            );
        }

        return $minute?->minute === $number ? $minute : null;
    }

    /** @return resource|null */
    private function open()
    {
        $file = RegularFile::open($this->path, 're');

        if ($file === false) {
            return null;
        }

        stream_set_read_buffer($file, 0);

        if (self::isHistory($file)) {
            return $file;
        }

        fclose($file);

        return null;
    }

    public function remove(): void
    {
        @unlink($this->path);
    }

    /** Creates the file, or puts a new one in the place of a file that is no history. */
    public function create(bool $replaces): void
    {
        if ($this->root !== null) {
            (new RootDirectory($this->root, $this->permissions))->makeDirectory(dirname($this->path));
        }

        $new = "{$this->path}.".bin2hex(random_bytes(4)).'.new';
        $file = $this->permissions->open($new, 'xe');

        if ($file === false) {
            return;
        }

        // The file has its full size from the beginning, so a full disk does not stop a later write.
        $content = str_pad(self::header(), HistoryProgress::AT, "\0").(new HistoryProgress)->encode();
        $content = str_pad($content, self::BYTES, "\0");
        $isWhole = @fwrite($file, $content) === self::BYTES;
        fclose($file);

        if ($isWhole) {
            RootDirectory::giveToOwner($new);
            // link() never replaces a file that another process has created in the meantime. Some hosts and
            // filesystems do not have it.
            (! $replaces && function_exists('link') && @link($new, $this->path))
                || (! $replaces && RegularFile::exists($this->path))
                || @rename($new, $this->path);
        }

        @unlink($new);
    }
}
