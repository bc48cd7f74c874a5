<?php

declare(strict_types=1);

namespace Workbench\App\Queues;

use Illuminate\Queue\Connectors\ConnectorInterface;

final class FolderConnector implements ConnectorInterface
{
    public function connect(array $config): FolderQueue
    {
        return new FolderQueue($config['folder'], $config['queue'], (bool) ($config['careless'] ?? false));
    }
}
