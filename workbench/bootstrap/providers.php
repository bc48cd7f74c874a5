<?php

declare(strict_types=1);

use Headroom\Laravel\HeadroomServiceProvider;
use Workbench\App\Queues\FolderQueueServiceProvider;

// The package is the root package of this checkout, so nothing discovers it: it is listed by hand.
return [
    // Without it: what it costs requests that buffer nothing, benchmarks/write-buffer/instructions.php.
    ...(getenv('WORKBENCH_PACKAGE') === 'off' ? [] : [HeadroomServiceProvider::class]),
    FolderQueueServiceProvider::class,
];
