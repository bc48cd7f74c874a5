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
 * A directory with one file of samples per node. Nodes may share it, or their files be copied together.
 *
 * A sample is worth no waiting: one that finds its node's file being written is dropped, and counted with a byte at the
 * end of another file, for which no lock is needed.
 *
 * @internal
 */
final readonly class Samples
{
    private const MOST_NODES = 256;

    private const MOST_BUSY_BYTES = 16_777_216;

    /**
     * The group reads: who deploys is often not who serves. It writes too, since two pools of
     * one group may share a node.
     */
    private const DIRECTORY_MODE = 0o770;

    private const FILE_MODE = 0o660;

    private string $node;

    /** @param ?string $node what this machine is called; its host name when null */
    public function __construct(public string $directory, ?string $node = null, private Clock $clock = new SystemClock)
    {
        $name = (string) preg_replace('/[^A-Za-z0-9_.-]+/', '_', $node ?? (string) gethostname());
        $name = substr(ltrim($name, '.'), 0, 200);
        $this->node = $name === '' ? 'unknown' : $name;
    }

    /**
     * @param ?Sample $sample null: one of which nobody can tell whether it ran after a preload
     * @return bool false when another one was being written, and this one only counted
     *
     * @throws UnableToSample
     */
    public function add(?Sample $sample): bool
    {
        return EffectiveUser::below($this->directory)->during(fn (): bool => $this->added($sample));
    }

    /** @throws UnableToSample */
    private function added(?Sample $sample): bool
    {
        $this->prepare();
        $lock = $this->opened("{$this->node}.lock", 'ce');

        if (! flock($lock, LOCK_EX | LOCK_NB)) {
            fclose($lock);
            $this->countBusy();

            return false;
        }

        try {
            $tally = $this->tally();
            $tally->add($sample, intdiv($this->clock->micros(), 1_000_000));
            $this->write($tally);
        } finally {
            fclose($lock);
        }

        return true;
    }

    /**
     * What all nodes have seen.
     *
     * @throws InvalidSamples
     */
    public function merged(): ObservedRequests
    {
        // Root would read through a link of the workers what they may not read.
        return EffectiveUser::in($this->directory)->during($this->read(...));
    }

    /** @throws InvalidSamples */
    private function read(): ObservedRequests
    {
        $all = new SampleTotals;
        $busy = 0;

        foreach ($this->files('json') as $file) {
            $all->addAll(self::tallied($file));
        }

        foreach ($this->files('busy') as $file) {
            clearstatcache(true, $file);
            $busy += (int) FileOperation::run(static fn () => filesize($file));
        }

        return $this->files('json') === [] ? new ObservedRequests(busy: $busy) : $all->observed($busy);
    }

    /**
     * @return list<string> files that could not be read when a sample was added, and were renamed
     *     so that sampling goes on
     */
    public function setAside(): array
    {
        return EffectiveUser::in($this->directory)->during(fn (): array => $this->files('broken'));
    }

    /** Why there may be nothing, for whoever did not find a sample: what can be seen from here. */
    public function state(): string
    {
        clearstatcache(true, $this->directory);
        $owner = FileOperation::run(fn () => fileowner($this->directory));

        if ($owner === false) {
            return "{$this->directory} is not there: no sample was ever taken, or the workers may not make it.";
        }

        $name = function_exists('posix_getpwuid') ? posix_getpwuid($owner)['name'] ?? (string) $owner : (string) $owner;
        $group = (int) filegroup($this->directory);
        $groupName = function_exists('posix_getgrgid')
            ? posix_getgrgid($group)['name'] ?? (string) $group
            : (string) $group;

        return sprintf(
            '%s belongs to %s:%s and has the mode 0%o; the user of the workers must be able to make files there.',
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

        // umask(2) has no say in chmod(2), and what gives new files the group of the directory is kept.
        FileOperation::run(fn (): bool => chmod(
            $this->directory,
            self::DIRECTORY_MODE | ((int) fileperms($this->directory) & 0o2000),
        ));
    }

    /** @throws UnableToSample */
    private function tally(): SampleTotals
    {
        $file = $this->path("{$this->node}.json");
        clearstatcache(true, $file);

        if (! file_exists($file)) {
            $nodes = count($this->files('json'));

            return $nodes < self::MOST_NODES
                ? new SampleTotals
                : throw UnableToSample::tooManyNodes($this->directory, $nodes, self::MOST_NODES);
        }

        try {
            return self::tallied($file);
        } catch (InvalidSamples) {
            $reason = '';

            return FileOperation::run(fn (): bool => rename($file, $this->path("{$this->node}.broken")), $reason)
                ? new SampleTotals
                : throw UnableToSample::file($file, $reason);
        }
    }

    /** @throws UnableToSample */
    private function write(SampleTotals $tally): void
    {
        // The holder of the lock is alone, so the remains of one that was killed are replaced and need no clearing up.
        $new = $this->path("{$this->node}.new");
        $file = $this->path("{$this->node}.json");
        $text = $tally->json();

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
        $file = $this->opened("{$this->node}.busy", 'ae');

        if ((fstat($file)['size'] ?? 0) < self::MOST_BUSY_BYTES) {
            FileOperation::run(static fn () => fwrite($file, '.'));
        }

        fclose($file);
    }

    /**
     * @return resource
     *
     * @throws UnableToSample
     */
    private function opened(string $name, string $mode)
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
    private static function tallied(string $file): SampleTotals
    {
        $reason = '';
        $text = FileOperation::run(static fn () => file_get_contents($file), $reason);

        return $text === false ? throw InvalidSamples::unreadable($file, $reason) : SampleTotals::fromJson($text, $file);
    }

    /** @return list<string> of all nodes */
    private function files(string $extension): array
    {
        $files = [];
        // glob() would take a [ in the directory's name for a pattern.
        $names = FileOperation::run(fn () => scandir($this->directory));

        foreach ($names === false ? [] : $names as $name) {
            // Workers write there: what is no file could hold up whoever reads it.
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
