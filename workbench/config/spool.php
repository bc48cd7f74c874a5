<?php

declare(strict_types=1);

return [
    'buckets' => [
        'page-views' => ['sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        'page-views-binary' => ['sink' => 'database', 'table' => 'page_views_binary', 'batch' => 1000, 'utf8' => 'binary'],
        'api-usage' => ['sink' => 'database', 'table' => 'api_usage', 'mode' => 'aggregate', 'unique' => ['api_key', 'hour'], 'sum' => ['calls', 'errors'], 'batch' => 10_000],
        'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')],
    ],
];
