<?php

declare(strict_types=1);

use Workbench\App\Buffers\SendWelcome;

return [
    'buckets' => [
        'page-views' => ['sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        'page-views-binary' => [
            'sink' => 'database',
            'table' => 'page_views_binary',
            'batch' => 1000,
            'utf8' => 'binary',
        ],
        'page_visits' => [
            'sink' => 'database',
            'table' => 'page_visits',
            'overflow' => 'drop',
            'max_bytes' => 500_000_000,
        ],
        'activities' => [
            'sink' => 'database',
            'table' => 'activities',
            'durability' => 'power',
            'redact' => ['share_token'],
        ],
        'notifications' => ['sink' => 'database', 'table' => 'notifications'],
        'api-usage' => [
            'sink' => 'database',
            'table' => 'api_usage',
            'mode' => 'aggregate',
            'unique' => ['api_key', 'hour'],
            'sum' => ['calls', 'errors'],
            'batch' => 10_000,
        ],
        'logs' => ['sink' => 'database', 'table' => 'logs', 'overflow' => 'throw', 'max_bytes' => 1_000_000_000],
        'welcome' => [
            'sink' => 'handler',
            'handler' => SendWelcome::class,
            'rate_limit' => ['max' => 100, 'every' => 60],
        ],
        // docs/uses/incoming-webhooks.md
        'github' => ['sink' => 'database', 'table' => 'webhooks'],
        // docs/uses/outgoing-calls.md. The defaults lead nowhere.
        'crm' => [
            'sink' => 'http',
            'url' => env('CRM_URL', 'http://127.0.0.1:9/contacts'),
            'sign' => env('CRM_SECRET', 'whsec_bm90aGluZyB0aGF0IGlzIHNlY3JldA=='),
            'batch' => 200,
            'timeout' => 10,
        ],
        // docs/charts.md. Where there is an index.
        ...(env('ELASTICSEARCH_URL') === null ? [] : [
            'events' => [
                'sink' => 'elasticsearch',
                'url' => env('ELASTICSEARCH_URL'),
                'index' => env('ELASTICSEARCH_INDEX', 'events'),
            ],
        ]),
        // Where there is a Redis.
        ...(env('REDIS_HOST') === null ? [] : [
            'page-views-redis' => ['store' => 'redis', 'sink' => 'database', 'table' => 'page_views', 'batch' => 1000],
        ]),
        'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')],
    ],
];
