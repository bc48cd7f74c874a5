<?php

declare(strict_types=1);

return [
    'buckets' => [
        'page-views' => ['sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        'page-views-binary' => ['sink' => 'database', 'table' => 'page_views_binary', 'batch' => 1000, 'utf8' => 'binary'],
        'page_visits' => ['sink' => 'database', 'table' => 'page_visits', 'on_failure' => 'drop', 'quota' => 500_000_000],
        'activities' => ['sink' => 'database', 'table' => 'activities', 'durability' => 'power', 'redact' => ['share_token']],
        'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')],
    ],
];
