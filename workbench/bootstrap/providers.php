<?php

declare(strict_types=1);

// The package is the root package of this checkout, so nothing discovers it: it is listed by hand.
return [
    Headroom\Laravel\HeadroomServiceProvider::class,
    Workbench\App\Queues\FolderQueueServiceProvider::class,
];
