<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Clock;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;
use Headroom\Support\RegularFile;
use JsonException;

/**
 * The directory `collector/` in the buffer, through which the processes of one collector share their state. It holds
 * small JSON files. Each has one writer, which replaces it atomically.
 *
 * @internal
 */
final class StateDirectory
{
    private const LOCK_ATTEMPTS = 10;

    private const LOCK_MICROS = 20_000;

    /** Limit of a JSON file, far above the status of all processes. */
    private const MAX_BYTES = 4_194_304;

    public readonly string $path;

    /** @var ?resource */
    private $lock = null;

    /**
     * @param string $root of the buffer
     * @param int $directoryMode mode bits
     * @param int $fileMode mode bits
     */
    public function __construct(
        public readonly string $root,
        private readonly int $directoryMode,
        private readonly int $fileMode,
    ) {
        $this->path = "{$root}/collector";
    }

    /** @throws UnableToServe */
    public function create(): void
    {
        foreach ([$this->root, $this->path, "{$this->path}/metrics"] as $directory) {
            $reason = '';

            // Another process may create it at the same moment.
            if (
                ! is_dir($directory)
                && ! FileOperation::run(fn (): bool => $this->createDirectory($directory), $reason)
                && ! is_dir($directory)
            ) {
                throw UnableToServe::directory($directory, $reason);
            }
        }

        if (! is_writable($this->path)) {
            throw UnableToServe::directory($this->path, 'it is not writable');
        }
    }

    /**
     * The kernel releases the lock when this process ends, also by SIGKILL.
     *
     * @throws UnableToServe
     */
    public function acquireLock(Clock $clock): void
    {
        $this->create();
        $reason = '';
        // 'e' closes the file in workers, which would hold the lock after the end of this process.
        $lock = EffectiveUser::in($this->path)->during(function () use (&$reason) {
            return RegularFile::open("{$this->path}/collector.lock", 'ce', $reason, $this->fileMode);
        });

        if ($lock === false) {
            throw UnableToServe::directory($this->path, $reason);
        }

        // isLocked() of another process holds the lock for a moment.
        for ($attempts = 1; ! flock($lock, LOCK_EX | LOCK_NB); $attempts++) {
            if ($attempts === self::LOCK_ATTEMPTS) {
                throw UnableToServe::alreadyRuns($this->path, $this->pid());
            }

            $clock->sleep(self::LOCK_MICROS);
        }

        $this->lock = $lock;
        $this->write('pid', ['pid' => (int) getmypid()]);
    }

    /**
     * Whether a supervisor holds the lock.
     *
     * @throws UnableToServe if this user may not open the file
     */
    public function isLocked(): bool
    {
        if ($this->lock !== null) {
            return true;
        }

        $file = "{$this->path}/collector.lock";
        $reason = '';
        $lock = RegularFile::open($file, 're', $reason);

        if ($lock === false) {
            return Path::isAbsent($file) ? false : throw UnableToServe::notSeen($file, $reason);
        }

        $isFree = flock($lock, LOCK_SH | LOCK_NB);
        fclose($lock);

        return ! $isFree;
    }

    /**
     * Every user that may write to this directory can put a number into the file. So it counts only if that process has
     * the lock file open, which the kernel shows.
     *
     * @return ?int pid of the running supervisor
     */
    public function pid(): ?int
    {
        $pid = $this->read('pid')['pid'] ?? null;
        clearstatcache();
        $lock = @lstat("{$this->path}/collector.lock");

        if (! is_int($pid) || $pid < 2 || $lock === false) {
            return null;
        }

        $opened = @scandir("/proc/{$pid}/fd");

        foreach ($opened === false ? [] : array_diff($opened, ['.', '..']) as $descriptor) {
            $stat = @stat("/proc/{$pid}/fd/{$descriptor}");

            if ($stat !== false && $stat['ino'] === $lock['ino'] && $stat['dev'] === $lock['dev']) {
                return $pid;
            }
        }

        return is_dir('/proc/self/fd') ? null : $pid;
    }

    /** @return array<array-key, mixed> empty if the file is missing or cannot be read */
    public function read(string $name): array
    {
        $text = RegularFile::read("{$this->path}/{$name}.json", self::MAX_BYTES);

        try {
            $value = json_decode($text === false ? '[]' : $text, true, 64, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            return [];
        }

        return is_array($value) ? $value : [];
    }

    /**
     * A reader sees the new content or the old one. On a full disk the old content stays.
     *
     * @param array<array-key, mixed> $value
     */
    public function write(string $name, array $value): bool
    {
        $text = json_encode(
            $value,
            JSON_PARTIAL_OUTPUT_ON_ERROR
                | JSON_INVALID_UTF8_SUBSTITUTE
                | JSON_UNESCAPED_SLASHES
                | JSON_PRESERVE_ZERO_FRACTION,
        );
        $replace = fn (): bool
            => AtomicFile::replace("{$this->path}/{$name}.json", (string) $text, $this->fileMode, ending: 'tmp');

        return FileOperation::run(fn (): bool => EffectiveUser::in($this->path)->during($replace));
    }

    public function remove(string $name): void
    {
        EffectiveUser::in($this->path)->during(fn (): bool => @unlink("{$this->path}/{$name}.json"));
    }

    /** @return list<string> names of the JSON files in a folder, for read("folder/name") */
    public function names(string $folder): array
    {
        $files = @scandir("{$this->path}/{$folder}");
        $names = array_filter(
            $files === false ? [] : $files,
            static fn (string $file): bool => str_ends_with($file, '.json'),
        );

        return array_map(static fn (string $file): string => substr($file, 0, -5), array_values($names));
    }

    /** Removes the temporary files of processes that were killed during a write. */
    public function removeTemporaryFiles(): void
    {
        foreach ([$this->path, "{$this->path}/metrics"] as $directory) {
            $files = glob("{$directory}/*.tmp");

            foreach ($files === false ? [] : $files as $file) {
                EffectiveUser::in($directory)->during(static fn (): bool => @unlink($file));
            }
        }
    }

    private function createDirectory(string $directory): bool
    {
        return EffectiveUser::below($directory)->during(
            fn (): bool => mkdir($directory, $this->directoryMode, true) && chmod($directory, $this->directoryMode),
        );
    }
}
