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
 * What the processes of one collector know of each other: `collector/` below the root of the buffer. Small JSON files,
 * each put in place whole by its one writer.
 *
 * @internal
 */
final class StateDirectory
{
    private const TRIES = 10;

    private const TRY_MICROS = 20_000;

    /** Far more than the status of all processes takes. */
    private const MOST_BYTES = 4_194_304;

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
    public function make(): void
    {
        foreach ([$this->root, $this->path, "{$this->path}/metrics"] as $directory) {
            $reason = '';

            // Another process may make it at the same moment.
            if (
                ! is_dir($directory)
                && ! FileOperation::run(fn (): bool => $this->makes($directory), $reason)
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
     * Held until this process ends, however it ends.
     *
     * @throws UnableToServe
     */
    public function occupy(Clock $clock): void
    {
        $this->make();
        $reason = '';
        // 'e': no worker may hold it on.
        $lock = EffectiveUser::in($this->path)->during(function () use (&$reason) {
            return RegularFile::open("{$this->path}/collector.lock", 'ce', $reason, $this->fileMode);
        });

        if ($lock === false) {
            throw UnableToServe::directory($this->path, $reason);
        }

        // A process that looks whether the lock is held holds it for that moment.
        for ($tries = 1; ! flock($lock, LOCK_EX | LOCK_NB); $tries++) {
            if ($tries === self::TRIES) {
                throw UnableToServe::alreadyRuns($this->path, $this->pid());
            }

            $clock->sleep(self::TRY_MICROS);
        }

        $this->lock = $lock;
        $this->write('pid', ['pid' => (int) getmypid()]);
    }

    /**
     * Whether a supervisor holds it.
     *
     * @throws UnableToServe where this user may not see that
     */
    public function isOccupied(): bool
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
     * The file says a number, and every user that may write here says it. The kernel says which
     * process has the lock open.
     *
     * @return ?int of the supervisor that is here
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

    /** @return array<array-key, mixed> empty when there is none, or it can not be read */
    public function read(string $name): array
    {
        $text = RegularFile::read("{$this->path}/{$name}.json", self::MOST_BYTES);

        try {
            $value = json_decode($text === false ? '[]' : $text, true, 64, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            return [];
        }

        return is_array($value) ? $value : [];
    }

    /**
     * A reader sees all of it or what was there before. On a full disk nothing changes, and nobody stops for that.
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

    /** @return list<string> of JSON files in a folder, to be read as "folder/name" */
    public function names(string $folder): array
    {
        $files = @scandir("{$this->path}/{$folder}");
        $names = array_filter(
            $files === false ? [] : $files,
            static fn (string $file): bool => str_ends_with($file, '.json'),
        );

        return array_map(static fn (string $file): string => substr($file, 0, -5), array_values($names));
    }

    /** What processes left that were killed while they wrote. */
    public function sweep(): void
    {
        foreach ([$this->path, "{$this->path}/metrics"] as $directory) {
            $left = glob("{$directory}/*.tmp");

            foreach ($left === false ? [] : $left as $file) {
                EffectiveUser::in($directory)->during(static fn (): bool => @unlink($file));
            }
        }
    }

    private function makes(string $directory): bool
    {
        return EffectiveUser::below($directory)->during(
            fn (): bool => mkdir($directory, $this->directoryMode, true) && chmod($directory, $this->directoryMode),
        );
    }
}
