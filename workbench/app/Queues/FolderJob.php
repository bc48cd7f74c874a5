<?php

declare(strict_types=1);

namespace Workbench\App\Queues;

use Illuminate\Container\Container;
use Illuminate\Contracts\Queue\Job as JobContract;
use Illuminate\Queue\Jobs\Job;

final class FolderJob extends Job implements JobContract
{
    public function __construct(
        Container $container,
        private readonly string $file,
        private readonly string $payload,
        string $connectionName,
        string $queue,
    ) {
        $this->container = $container;
        $this->connectionName = $connectionName;
        $this->queue = $queue;
    }

    public function delete(): void
    {
        parent::delete();
        @unlink($this->file);
    }

    public function release($delay = 0): void
    {
        parent::release($delay);
        @rename($this->file, substr($this->file, 0, -strlen('.taken')));
    }

    public function attempts(): int
    {
        return 1;
    }

    public function getJobId(): string
    {
        return basename($this->file);
    }

    public function getRawBody(): string
    {
        return $this->payload;
    }
}
