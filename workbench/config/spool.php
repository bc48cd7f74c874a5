<?php

declare(strict_types=1);

return [
    'buckets' => [
        'page-views' => ['sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        'page-views-binary' => ['sink' => 'database', 'table' => 'page_views_binary', 'batch' => 1000, 'utf8' => 'binary'],
        // Where there is a Redis.
        ...(env('REDIS_HOST') === null ? [] : [
            'page-views-redis' => ['store' => 'redis', 'sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        ]),
        'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')],
    ],
];
