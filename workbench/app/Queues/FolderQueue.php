<?php

declare(strict_types=1);

namespace Workbench\App\Queues;

use BadMethodCallException;
use Illuminate\Contracts\Queue\ClearableQueue;
use Illuminate\Contracts\Queue\Queue as QueueContract;
use Illuminate\Queue\Queue;
use Illuminate\Support\Str;

/**
 * A queue driver of somebody else's: a file for each job in a folder, taken by whoever renames it first.
 */
final class FolderQueue extends Queue implements ClearableQueue, QueueContract
{
    /** @param bool $isCareless whether it looks before it takes, and so lets two workers have the same job */
    public function __construct(
        private readonly string $folder,
        private readonly string $default,
        private readonly bool $isCareless = false,
    ) {}

    public function size($queue = null): int
    {
        return count($this->files($queue)) + count((array) glob("{$this->folder($queue)}/*.taken"));
    }

    public function pendingSize($queue = null): int
    {
        return count($this->files($queue));
    }

    public function delayedSize($queue = null): int
    {
        return 0;
    }

    public function reservedSize($queue = null): int
    {
        return count((array) glob("{$this->folder($queue)}/*.taken"));
    }

    public function creationTimeOfOldestPendingJob($queue = null): null
    {
        return null;
    }

    public function push($job, $data = '', $queue = null): string
    {
        return $this->pushRaw($this->createPayload($job, $queue ?? $this->default, $data), $queue);
    }

    public function pushRaw($payload, $queue = null, array $options = []): string
    {
        $folder = $this->folder($queue);
        is_dir($folder) || mkdir($folder, 0o755, true);
        $name = (string) Str::ulid();
        file_put_contents("{$folder}/{$name}.tmp", $payload);
        rename("{$folder}/{$name}.tmp", "{$folder}/{$name}.job");

        return $name;
    }

    public function later($delay, $job, $data = '', $queue = null): never
    {
        throw new BadMethodCallException('A folder has no delayed jobs.');
    }

    public function pop($queue = null): ?FolderJob
    {
        foreach ($this->files($queue) as $file) {
            $payload = (string) @file_get_contents($file);

            if ($this->isCareless) {
                usleep(2_000);
            }

            if (@rename($file, "{$file}.taken") || ($this->isCareless && $payload !== '')) {
                return new FolderJob(
                    $this->container,
                    "{$file}.taken",
                    $payload !== '' ? $payload : (string) file_get_contents("{$file}.taken"),
                    $this->connectionName,
                    $queue ?? $this->default,
                );
            }
        }

        return null;
    }

    /** Also those that a worker had which is gone. */
    public function clear($queue): int
    {
        $files = glob("{$this->folder($queue)}/*") ?: [];
        array_map(unlink(...), $files);

        return count($files);
    }

    /** @return array<string> */
    private function files(?string $queue): array
    {
        return glob("{$this->folder($queue)}/*.job") ?: [];
    }

    private function folder(?string $queue): string
    {
        return "{$this->folder}/".($queue ?? $this->default);
    }
}
