<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;
use Throwable;

/**
 * One file for each running worker, which the worker keeps locked. The kernel releases the lock of a process that is
 * killed, so a file that can be locked belongs to no worker.
 *
 * @internal
 */
final readonly class WorkerFiles
{
    private const MAX_BYTES = 65_536;

    private const DIRECTORY = 'workers';

    /** @param string $root of the buffer */
    public function __construct(private string $root, private Permissions $permissions) {}

    /**
     * Does nothing before the first event, because a root created now would belong to this user.
     *
     * @param list<string> $buckets
     * @return ?resource locked; keep it as long as the worker runs
     */
    public function register(array $buckets, Clock $clock)
    {
        try {
            return is_dir($this->root) ? $this->create($buckets, $clock) : null;
        } catch (Throwable) {
            return null; // A worker that cannot be listed still delivers.
        }
    }

    /**
     * @param list<string> $buckets
     * @return ?resource
     */
    private function create(array $buckets, Clock $clock)
    {
        $pid = PhpRestrictions::pid();
        (new RootDirectory($this->root, $this->permissions))->makeDirectory("{$this->root}/".self::DIRECTORY);
        $this->running(); // Removes the files of workers that have ended.
        $path = "{$this->root}/".self::DIRECTORY."/{$pid}-".bin2hex(random_bytes(4));
        $file = $this->permissions->open($path, 'xe');

        if ($file === false) {
            return null;
        }

        RootDirectory::giveToOwner($path);
        $text = json_encode([
            'pid' => $pid,
            'host' => HostName::own(),
            'since' => intdiv($clock->micros(), 1_000_000),
            'buckets' => $buckets,
        ], JSON_THROW_ON_ERROR);

        // A reader may hold its lock at this moment, or the disk is full. The next round tries again.
        if (
            PhpRestrictions::call('flock', $file, LOCK_EX | LOCK_NB) !== true
            || @fwrite($file, $text) !== strlen($text)
        ) {
            @unlink($path);

            return null;
        }

        return $file;
    }

    /** @return list<RunningWorker> by pid */
    public function running(): array
    {
        $workers = [];
        $directory = "{$this->root}/".self::DIRECTORY;

        // Another user may have put a link there, behind which no file must be removed.
        foreach (is_link($directory) ? [] : (array) @scandir($directory) as $name) {
            $worker = is_string($name) && preg_match('/\A\d+-[0-9a-f]{8}\z/', $name) === 1
                ? $this->worker("{$directory}/{$name}")
                : null;
            $workers = $worker === null ? $workers : [...$workers, $worker];
        }

        usort($workers, static fn (RunningWorker $a, RunningWorker $b): int => $a->pid <=> $b->pid);

        return $workers;
    }

    private function worker(string $path): ?RunningWorker
    {
        $file = RegularFile::open($path, 're');

        if ($file === false) {
            return null;
        }

        $isOver = flock($file, LOCK_SH | LOCK_NB);
        $text = (string) @stream_get_contents($file, self::MAX_BYTES);
        fclose($file);

        if ($isOver && $text !== '') {
            @unlink($path);
        }

        return $isOver ? null : RunningWorker::fromJson($text);
    }
}
