<?php

declare(strict_types=1);

return [
    'default' => env('QUEUE_CONNECTION', 'sync'),

    'connections' => [
        'sync' => ['driver' => 'sync'],
        'database' => ['driver' => 'database', 'table' => 'jobs', 'queue' => 'default', 'retry_after' => 90],
        'redis' => [
            'driver' => 'redis',
            'connection' => env('REDIS_QUEUE_CONNECTION', 'default'),
            'queue' => 'default',
            'retry_after' => 90,
            'block_for' => 5,
        ],
        'beanstalkd' => [
            'driver' => 'beanstalkd',
            'host' => env('BEANSTALKD_QUEUE_HOST', '127.0.0.1'),
            'port' => (int) env('BEANSTALKD_QUEUE_PORT', 11300),
            'queue' => 'default',
            'retry_after' => 90,
            'block_for' => 0,
        ],
        'folder' => [
            'driver' => 'folder',
            'folder' => storage_path('app/queue'),
            'queue' => 'default',
            'careless' => env('FOLDER_QUEUE_CARELESS', false),
        ],
    ],

    'failed' => ['driver' => 'null'],
];
