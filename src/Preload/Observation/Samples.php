<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Preload\ObservedRequests;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;

/**
 * A directory with one file of samples per node. Nodes may share the directory, or their files may be copied into one.
 *
 * A request does not wait to record its sample. If another request is writing the file of the node, the sample is
 * dropped and counted by a byte appended to another file, which needs no lock.
 *
 * @internal
 */
final readonly class Samples
{
    private const MAX_NODES = 256;

    private const MAX_BUSY_BYTES = 16_777_216;

    /**
     * The group may read because the user that deploys is often another one than that of the workers. It may write
     * because two pools of one group may share a node.
     */
    private const DIRECTORY_MODE = 0o770;

    private const FILE_MODE = 0o660;

    private string $node;

    /** @param ?string $node name of this machine; null for its host name */
    public function __construct(public string $directory, ?string $node = null, private Clock $clock = new SystemClock)
    {
        $name = (string) preg_replace('/[^A-Za-z0-9_.-]+/', '_', $node ?? (string) gethostname());
        $name = substr(ltrim($name, '.'), 0, 200);
        $this->node = $name === '' ? 'unknown' : $name;
    }

    /**
     * @param ?Sample $sample null for a request of a PHP that does not tell whether it preloads
     * @return bool false if another sample was being written, so that this one was only counted
     *
     * @throws UnableToSample
     */
    public function add(?Sample $sample): bool
    {
        return EffectiveUser::below($this->directory)->during(fn (): bool => $this->write($sample));
    }

    /** @throws UnableToSample */
    private function write(?Sample $sample): bool
    {
        $this->prepare();
        $lock = $this->open("{$this->node}.lock", 'ce');

        if (! flock($lock, LOCK_EX | LOCK_NB)) {
            fclose($lock);
            $this->countBusy();

            return false;
        }

        try {
            $totals = $this->totals();
            $totals->add($sample, intdiv($this->clock->micros(), 1_000_000));
            $this->save($totals);
        } finally {
            fclose($lock);
        }

        return true;
    }

    /**
     * The samples of all nodes.
     *
     * @throws InvalidSamples
     */
    public function merged(): ObservedRequests
    {
        // Root could follow a link of the workers to a file that they may not read.
        return EffectiveUser::in($this->directory)->during($this->read(...));
    }

    /** @throws InvalidSamples */
    private function read(): ObservedRequests
    {
        $all = new SampleTotals;
        $busy = 0;

        foreach ($this->files('json') as $file) {
            $all->merge(self::load($file));
        }

        foreach ($this->files('busy') as $file) {
            clearstatcache(true, $file);
            $busy += (int) FileOperation::run(static fn () => filesize($file));
        }

        return $this->files('json') === [] ? new ObservedRequests(busy: $busy) : $all->observed($busy);
    }

    /**
     * @return list<string> damaged files that were renamed so that sampling continues
     */
    public function setAside(): array
    {
        return EffectiveUser::in($this->directory)->during(fn (): array => $this->files('broken'));
    }

    /** Owner, group and mode of the directory, for a message about missing samples. */
    public function access(): string
    {
        clearstatcache(true, $this->directory);
        $owner = FileOperation::run(fn () => fileowner($this->directory));

        if ($owner === false) {
            return "{$this->directory} does not exist: no request was sampled yet, or the workers may not create it.";
        }

        $name = function_exists('posix_getpwuid') ? posix_getpwuid($owner)['name'] ?? (string) $owner : (string) $owner;
        $group = (int) filegroup($this->directory);
        $groupName = function_exists('posix_getgrgid')
            ? posix_getgrgid($group)['name'] ?? (string) $group
            : (string) $group;

        return sprintf(
            '%s belongs to %s:%s and has the mode 0%o; the user of the workers must be able to create files there.',
            $this->directory,
            $name,
            $groupName,
            (int) fileperms($this->directory) & 0o7777,
        );
    }

    /** @throws UnableToSample */
    private function prepare(): void
    {
        if (is_dir($this->directory)) {
            return;
        }

        $reason = '';
        if (
            ! FileOperation::run(fn (): bool => mkdir($this->directory, self::DIRECTORY_MODE, true), $reason)
            && ! is_dir($this->directory)
        ) {
            throw UnableToSample::directory($this->directory, $reason);
        }

        // chmod(2) ignores the umask. The set-group-ID bit, which gives new files the group of the directory, is kept.
        FileOperation::run(fn (): bool => chmod(
            $this->directory,
            self::DIRECTORY_MODE | ((int) fileperms($this->directory) & 0o2000),
        ));
    }

    /** @throws UnableToSample */
    private function totals(): SampleTotals
    {
        $file = $this->path("{$this->node}.json");
        clearstatcache(true, $file);

        if (! file_exists($file)) {
            $nodes = count($this->files('json'));

            return $nodes < self::MAX_NODES
                ? new SampleTotals
                : throw UnableToSample::tooManyNodes($this->directory, $nodes, self::MAX_NODES);
        }

        try {
            return self::load($file);
        } catch (InvalidSamples) {
            $reason = '';

            return FileOperation::run(fn (): bool => rename($file, $this->path("{$this->node}.broken")), $reason)
                ? new SampleTotals
                : throw UnableToSample::file($file, $reason);
        }
    }

    /** @throws UnableToSample */
    private function save(SampleTotals $totals): void
    {
        // Only the holder of the lock writes, so it can replace the file that a killed process has left.
        $new = $this->path("{$this->node}.new");
        $file = $this->path("{$this->node}.json");
        $text = $totals->json();

        $reason = '';
        if (! FileOperation::run(
            static fn (): bool => (@lstat($new) === false || unlink($new))
                && AtomicFile::make($new, $text, self::FILE_MODE),
            $reason,
        )) {
            throw UnableToSample::file($new, $reason);
        }

        $reason = '';
        if (! FileOperation::run(static fn (): bool => rename($new, $file), $reason)) {
            throw UnableToSample::file($file, $reason);
        }
    }

    private function countBusy(): void
    {
        $file = $this->open("{$this->node}.busy", 'ae');

        if ((fstat($file)['size'] ?? 0) < self::MAX_BUSY_BYTES) {
            FileOperation::run(static fn () => fwrite($file, '.'));
        }

        fclose($file);
    }

    /**
     * @return resource
     *
     * @throws UnableToSample
     */
    private function open(string $name, string $mode)
    {
        $path = $this->path($name);
        $isNew = ! file_exists($path);
        $reason = '';
        $file = FileOperation::run(static fn () => fopen($path, $mode), $reason);

        if ($file === false) {
            throw UnableToSample::file($path, $reason);
        }

        if ($isNew) {
            FileOperation::run(static fn (): bool => chmod($path, self::FILE_MODE));
        }

        return $file;
    }

    /** @throws InvalidSamples */
    private static function load(string $file): SampleTotals
    {
        $reason = '';
        $text = FileOperation::run(static fn () => file_get_contents($file), $reason);

        return $text === false
            ? throw InvalidSamples::unreadable($file, $reason)
            : SampleTotals::fromJson($text, $file);
    }

    /** @return list<string> of all nodes */
    private function files(string $extension): array
    {
        $files = [];
        // glob() treats a [ in the name of the directory as a pattern.
        $names = FileOperation::run(fn () => scandir($this->directory));

        foreach ($names === false ? [] : $names as $name) {
            // The workers write there. A read from a pipe would block forever.
            if (str_ends_with($name, ".{$extension}") && $name[0] !== '.' && is_file($this->path($name))) {
                $files[] = $this->path($name);
            }
        }

        return $files;
    }

    private function path(string $name): string
    {
        return "{$this->directory}/{$name}";
    }
}
