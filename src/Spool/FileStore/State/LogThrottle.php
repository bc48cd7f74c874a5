<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\PhpRestrictions;

/**
 * At most one line a minute, or another time, bucket and kind in the application's log, from however many processes. A
 * file remembers when the last one was written, and counts what was left out since. Where it cannot be used,
 * all is written.
 *
 * @internal
 */
final readonly class LogThrottle
{
    private const MICROS = 60_000_000;

    private const MAX_BYTES = 1_048_576;

    /**
     * @param string $file its name in the root
     * @param int $micros between two lines of one kind
     */
    public function __construct(
        private string $root,
        private Permissions $permissions,
        private Clock $clock,
        private string $file = 'logged',
        private int $micros = self::MICROS,
    ) {}

    /** @return int how many the line stands for; 0 where none is to be written now */
    public function take(string $bucket, string $kind, int $count): int
    {
        if ($count === 0 && ! is_file($this->path())) {
            return 0;
        }

        $file = is_dir($this->root) ? $this->permissions->open($this->path(), 'c+e') : false;

        // Waiting for a process that was stopped would hold up all flushes.
        if ($file === false || PhpRestrictions::call('flock', $file, LOCK_EX | LOCK_NB) !== true) {
            return $count;
        }

        if ((fstat($file)['size'] ?? 0) === 0) {
            RootDirectory::handOver($this->path());
        }

        $kinds = $this->read($file);
        [$last, $left] = $kinds["{$bucket} {$kind}"] ?? [null, 0];
        $now = $this->clock->micros();
        $all = $left + $count;
        $isDue = $last === null || $now - $last >= $this->micros || $last > $now;

        if ($all > 0) {
            $kinds["{$bucket} {$kind}"] = $isDue ? [$now, 0] : [$last, $all];
            $this->write(
                $file,
                array_filter($kinds, fn (array $one): bool => $one[1] > 0 || abs($now - $one[0]) < $this->micros),
            );
        }

        fclose($file);

        return $isDue ? $all : 0;
    }

    private function path(): string
    {
        return "{$this->root}/{$this->file}";
    }

    /**
     * @param resource $file
     * @return array<string, array{int, int}> when a line was written last, microseconds since the Unix epoch, and how
     *     many were left out since
     */
    private function read($file): array
    {
        $kinds = [];
        $read = json_decode((string) stream_get_contents($file, self::MAX_BYTES), true, 3);

        // A crash may have left a part, and another user anything.
        foreach (is_array($read) ? $read : [] as $key => $one) {
            if (is_array($one) && is_int($one[0] ?? null) && is_int($one[1] ?? null)) {
                $kinds[(string) $key] = [$one[0], $one[1]];
            }
        }

        return $kinds;
    }

    /**
     * @param resource $file
     * @param array<string, array{int, int}> $kinds
     */
    private function write($file, array $kinds): void
    {
        PhpRestrictions::call('ftruncate', $file, 0);
        rewind($file);
        @fwrite($file, json_encode($kinds, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
    }
}
