<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Error;
use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;

/**
 * Limits the application's log to one line per bucket and kind in a minute or another interval, over all processes. A
 * file stores when the last line was written and how many events were left out since. If the file cannot be used, every
 * line is written.
 *
 * @internal
 */
final readonly class LogThrottle
{
    private const MICROS = 60_000_000;

    private const MAX_BYTES = 1_048_576;

    /** Far below PHP_INT_MAX, so that no sum of events becomes a float. */
    private const MAX_EVENTS = 1_000_000_000_000;

    /** The file is locked for microseconds, but by many processes at once. */
    private const TRIES = 20;

    private const PAUSE_MICROS = 250;

    /**
     * @param string $file name of the file in the root
     * @param int $micros interval between two lines of one kind
     * @param ?int $owner a file of another user is not used; null admits each user that may write to the root
     */
    public function __construct(
        private string $root,
        private Permissions $permissions,
        private Clock $clock,
        private string $file = 'logged',
        private int $micros = self::MICROS,
        private ?int $owner = null,
    ) {}

    /** @return int number of events that the line stands for; 0 when no line may be written now */
    public function take(string $bucket, string $kind, int $count): int
    {
        try {
            return $this->countedInFile($bucket, $kind, $count);
        } catch (Error $e) {
            // The host disables a function that the file needs.
            return UnableToCall::behind($e) instanceof UnableToCall ? $count : throw $e;
        }
    }

    private function countedInFile(string $bucket, string $kind, int $count): int
    {
        $file = $count === 0 && ! @is_file($this->path()) ? null : $this->open();

        if ($file === null) {
            return $count;
        }

        $kinds = $this->read($file);
        [$last, $leftOut] = $kinds["{$bucket} {$kind}"] ?? [null, 0];
        $now = $this->clock->micros();
        $all = $leftOut + $count;
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

    /** @return resource|null locked */
    private function open()
    {
        $file = @is_dir($this->root) ? $this->permissions->open($this->path(), 'c+e') : false;

        if ($file === false) {
            return null;
        }

        if ($this->owner !== null && (fstat($file)['uid'] ?? null) !== $this->owner) {
            fclose($file);

            return null;
        }

        // The process that holds the lock may be suspended (SIGSTOP), and waiting for it would delay all flushes.
        for ($try = 1; PhpRestrictions::call('flock', $file, LOCK_EX | LOCK_NB) !== true; $try++) {
            if ($try === self::TRIES) {
                fclose($file);

                return null;
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }

        if ((fstat($file)['size'] ?? 0) === 0) {
            RootDirectory::giveToOwner($this->path());
        }

        return $file;
    }

    private function path(): string
    {
        return "{$this->root}/{$this->file}";
    }

    /**
     * @param resource $file
     * @return array<string, array{int, int}> time of the last line in microseconds since the Unix epoch, and number of
     *     events left out since
     */
    private function read($file): array
    {
        $kinds = [];
        $read = json_decode((string) stream_get_contents($file, self::MAX_BYTES), true, 3);

        // A crash may have cut the JSON off, and another user may have written anything.
        foreach (is_array($read) ? $read : [] as $key => $one) {
            [$last, $leftOut] = [is_array($one) ? $one[0] ?? null : null, is_array($one) ? $one[1] ?? null : null];

            if (is_int($last) && is_int($leftOut) && $leftOut >= 0 && $leftOut <= self::MAX_EVENTS) {
                $kinds[(string) $key] = [$last, $leftOut];
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
