<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;
use Headroom\Support\RegularFile;
use JsonException;

/**
 * Counts the events that could not be appended; docs/spool-format.md, "The counters file".
 *
 * Any process may write it. It is written in place, under its own lock, so that counting works on a full disk.
 *
 * @internal
 */
final readonly class CountersFile
{
    private const MAGIC = "\xF5HC\x01";

    /**
     * Counting takes microseconds. A process that holds the lock longer is suspended (SIGSTOP), and requests must not
     * wait for it.
     */
    private const LOCK_TIMEOUT_NANOS = 1_000_000_000;

    private const MIN_TRIES = 20;

    private ChecksummedFile $file;

    public function __construct(private Layout $layout, private Clock $clock, private ?FaultPoint $faultPoint = null)
    {
        $this->file = new ChecksummedFile($layout->countersFile, self::MAGIC);
    }

    /** Called when the bucket is created. After a failure the first count tries again, and reports the reason. */
    public static function preallocate(Layout $layout, Permissions $permissions): void
    {
        if (file_exists($layout->countersFile)) {
            return;
        }

        $path = $layout->countersFile;
        // link() never replaces a file that another process has created in the meantime. Some hosts and filesystems do
        // not have it.
        (new ChecksummedFile($path, self::MAGIC))->preallocate(
            $permissions,
            (new RefusalCounts)->toJson(),
            static fn (string $new): bool => (function_exists('link') && @link($new, $path))
                || file_exists($path)
                || @rename($new, $path),
        );
    }

    /**
     * @return ?RefusalCounts null when there is no file: nothing was counted yet, or counting failed
     *
     * @throws UnableToCount
     */
    public function read(): ?RefusalCounts
    {
        clearstatcache();

        if (! file_exists($this->layout->countersFile)) {
            return null;
        }

        $reason = '';
        $content = RegularFile::read($this->layout->countersFile, 2 * ChecksummedFile::BLOCK, $reason);

        if ($content === false) {
            throw UnableToCount::notOpened(
                $this->layout->countersFile,
                $reason,
                Permissions::ownership($this->layout->countersFile),
            );
        }

        return $this->newest($content)[1];
    }

    /**
     * @param Closure(RefusalCounts): RefusalCounts $change called under the lock
     *
     * @throws UnableToCount and leaves the counts unchanged
     */
    public function update(Closure $change, Permissions $permissions): void
    {
        clearstatcache();
        self::preallocate($this->layout, $permissions);
        $path = $this->layout->countersFile;
        $reason = '';
        $file = RegularFile::open($path, 'r+e', $reason);

        if ($file === false) {
            throw Path::isAbsent($path)
                ? UnableToCount::notCreated($path, Permissions::ownership($path))
                : UnableToCount::notOpened($path, $reason, Permissions::ownership($path));
        }

        $this->faultPoint?->reached('counters.opened');

        try {
            $this->lock($file);
            $content = FileOperation::run(
                static fn (): string|false => stream_get_contents($file, 2 * ChecksummedFile::BLOCK),
                $reason,
            );
            [$generation, $counts] = $this->newest($content === false ? '' : $content);
            $block = $this->file->encode($generation + 1, $change($counts)->toJson());
            $this->faultPoint?->reached('counters.read');
            fseek($file, ($generation + 1) % 2 * ChecksummedFile::BLOCK);

            if (FileOperation::run(static fn () => fwrite($file, $block), $reason) !== ChecksummedFile::BLOCK) {
                throw UnableToCount::notWritten($path, $reason);
            }

            $this->faultPoint?->reached('counters.written');
        } finally {
            // Releases the lock.
            fclose($file);
        }
    }

    /** @param resource $file */
    private function lock($file): void
    {
        $path = $this->layout->countersFile;
        $deadline = $this->clock->monotonicNanos() + self::LOCK_TIMEOUT_NANOS;

        // Time alone does not end the wait: a machine may be suspended before this process has tried at all.
        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            if ($try > self::MIN_TRIES && $this->clock->monotonicNanos() > $deadline) {
                throw UnableToCount::locked($path);
            }

            $this->clock->sleep(200);
        }

        clearstatcache();

        // The file may have been removed since it was opened. No process would ever read these counts.
        if (@fileinode($path) !== (fstat($file)['ino'] ?? null)) {
            throw UnableToCount::removed($path);
        }
    }

    /**
     * @return array{int<1, max>, RefusalCounts}
     *
     * @throws UnableToCount when neither record is valid
     */
    private function newest(string $content): array
    {
        [$generation, $json] = $this->file->newest($content);

        try {
            return $generation > 0
                ? [$generation, RefusalCounts::fromJson($json)]
                : throw UnableToCount::damaged($this->layout->countersFile);
        } catch (JsonException) {
            throw UnableToCount::damaged($this->layout->countersFile);
        }
    }
}
