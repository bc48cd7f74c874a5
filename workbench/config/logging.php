<?php

declare(strict_types=1);

return [
    'default' => env('LOG_CHANNEL', 'single'),

    'deprecations' => ['channel' => 'null', 'trace' => false],

    'channels' => [
        'single' => [
            'driver' => 'single',
            'path' => storage_path('logs/laravel.log'),
            'level' => env('LOG_LEVEL', 'debug'),
            'replace_placeholders' => true,
        ],
        // docs/uses/logs.md
        'spool' => [
            'driver' => 'spool',
            'bucket' => 'logs',
            'level' => env('LOG_LEVEL', 'debug'),
            'fallback' => 'single',
            'replace_placeholders' => true,
        ],
    ],
];
