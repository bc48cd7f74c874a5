<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;
use JsonException;

/**
 * What requests count, when an append could not be made: docs/spool-format.md, "The counters file".
 *
 * Written in place by any process under a lock of its own. Two records in turn, each in a block of its own, so that a
 * write that is torn costs at most what it was to add; the file has its full size from the beginning, so that a full
 * disk can be counted on.
 *
 * @internal
 */
final readonly class CountersFile
{
    private const BLOCK = 4096;

    private const MAGIC = "\xF5HC\x01";

    /** Magic, generation and length. */
    private const HEADER_BYTES = 16;

    /** Counting takes microseconds. Whoever holds the lock for longer was stopped, and requests must not wait for that. */
    private const PATIENCE_NANOS = 1_000_000_000;

    private const FEWEST_TRIES = 20;

    public function __construct(private Layout $layout, private Clock $clock, private ?FaultPoint $checkpoint = null) {}

    /** Made with the bucket. Where it fails, the first count tries it again, and says what the reason is. */
    public static function preallocate(Layout $layout, Permissions $permissions): void
    {
        if (file_exists($layout->countersFile)) {
            return;
        }

        $own = "{$layout->countersFile}.".bin2hex(random_bytes(4)).'.new';
        $file = $permissions->open($own, 'xe');

        if ($file !== false) {
            $fresh = str_repeat("\0", self::BLOCK).self::encode(1, new RefusalCounts);
            $isWhole = @fwrite($file, $fresh) === strlen($fresh);
            fclose($file);

            // link() never replaces one that another process has made meanwhile; not every host and filesystem has it.
            if ($isWhole && ! (function_exists('link') && @link($own, $layout->countersFile)) && ! file_exists($layout->countersFile)) {
                @rename($own, $layout->countersFile);
            }

            @unlink($own);
        }
    }

    /**
     * @return ?RefusalCounts null when there is no file: nothing was ever counted, or it could not be
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
        $content = BufferFile::read($this->layout->countersFile, 2 * self::BLOCK, $reason);

        if ($content === false) {
            throw UnableToCount::notOpened($this->layout->countersFile, $reason, Permissions::ownership($this->layout->countersFile));
        }

        return $this->newest($content)[1];
    }

    /**
     * @param Closure(RefusalCounts): RefusalCounts $change called under the lock
     *
     * @throws UnableToCount nothing was changed
     */
    public function update(Closure $change, Permissions $permissions): void
    {
        clearstatcache();
        self::preallocate($this->layout, $permissions);
        $path = $this->layout->countersFile;
        $reason = '';
        $file = BufferFile::open($path, 'r+e', $reason);

        if ($file === false) {
            throw Path::isAbsent($path) ? UnableToCount::notMade($path, Permissions::ownership($path)) : UnableToCount::notOpened($path, $reason, Permissions::ownership($path));
        }

        $this->checkpoint?->reached('counters.opened');

        try {
            $this->lock($file);
            $content = FileOperation::run(static fn (): string|false => stream_get_contents($file, 2 * self::BLOCK), $reason);
            [$generation, $counts] = $this->newest($content === false ? '' : $content);
            $block = self::encode($generation + 1, $change($counts));
            $this->checkpoint?->reached('counters.read');
            fseek($file, ($generation + 1) % 2 * self::BLOCK);

            if (FileOperation::run(static fn () => fwrite($file, $block), $reason) !== self::BLOCK) {
                throw UnableToCount::notWritten($path, $reason);
            }

            $this->checkpoint?->reached('counters.written');
        } finally {
            // Frees the lock.
            fclose($file);
        }
    }

    /** @param resource $file */
    private function lock($file): void
    {
        $path = $this->layout->countersFile;
        $deadline = $this->clock->monotonicNanos() + self::PATIENCE_NANOS;

        // Who was kept from trying, as on a machine that stood still, has not waited for anybody.
        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            if ($try > self::FEWEST_TRIES && $this->clock->monotonicNanos() > $deadline) {
                throw UnableToCount::locked($path);
            }

            $this->clock->sleep(200);
        }

        clearstatcache();

        // What is counted in a file that was removed since it was opened is seen by nobody.
        if (@fileinode($path) !== (fstat($file)['ino'] ?? null)) {
            throw UnableToCount::removed($path);
        }
    }

    private static function encode(int $generation, RefusalCounts $counts): string
    {
        $json = $counts->toJson();
        $record = self::MAGIC.pack('JN', $generation, strlen($json)).$json;

        return str_pad($record.hash('crc32c', $record, true), self::BLOCK, "\0");
    }

    /**
     * @return array{int<1, max>, RefusalCounts}
     *
     * @throws UnableToCount neither record is whole
     */
    private function newest(string $content): array
    {
        $newest = [0, ''];

        foreach ([0, 1] as $index) {
            $record = self::decode(substr($content, $index * self::BLOCK, self::BLOCK));
            $newest = $record[0] > $newest[0] ? $record : $newest;
        }

        try {
            return $newest[0] > 0 ? [$newest[0], RefusalCounts::fromJson($newest[1])] : throw UnableToCount::damaged($this->layout->countersFile);
        } catch (JsonException) {
            throw UnableToCount::damaged($this->layout->countersFile);
        }
    }

    /** @return array{int, string} generation 0 when the block holds no valid record */
    private static function decode(string $block): array
    {
        if (strlen($block) < self::HEADER_BYTES || ! str_starts_with($block, self::MAGIC)) {
            return [0, ''];
        }

        /** @var array{generation: int, length: int} $header */
        $header = unpack('Jgeneration/Nlength', $block, 4);
        $end = self::HEADER_BYTES + $header['length'];

        return hash('crc32c', substr($block, 0, $end), true) === substr($block, $end, 4)
            ? [$header['generation'], substr($block, self::HEADER_BYTES, $header['length'])]
            : [0, ''];
    }
}
