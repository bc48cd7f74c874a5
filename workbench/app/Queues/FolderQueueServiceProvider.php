<?php

declare(strict_types=1);

namespace Workbench\App\Queues;

use Illuminate\Queue\QueueManager;
use Illuminate\Support\ServiceProvider;

/**
 * As a package brings a queue driver along.
 */
final class FolderQueueServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->callAfterResolving(
            'queue',
            fn (QueueManager $queues) => $queues->addConnector('folder', fn (): FolderConnector => new FolderConnector),
        );
    }
}
