<?php

declare(strict_types=1);

return [
    // Laravel's own local disk without its upload and download routes.
    'disks' => [
        'local' => ['driver' => 'local', 'root' => storage_path('app/private'), 'throw' => true],
    ],
];
