<?php

declare(strict_types=1);

use Workbench\App\Buffers\SendWelcome;

return [
    'buckets' => [
        'page-views' => ['sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        'page-views-binary' => ['sink' => 'database', 'table' => 'page_views_binary', 'batch' => 1000, 'utf8' => 'binary'],
        'welcome' => ['sink' => 'call', 'handler' => SendWelcome::class, 'rate' => [100, 'per' => 60]],
        'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')],
    ],
];
