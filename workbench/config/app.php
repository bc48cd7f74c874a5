<?php

declare(strict_types=1);

use Workbench\App\StorageDirectory;

return [
    'name' => env('APP_NAME', 'Headroom workbench'),
    'env' => env('APP_ENV', 'production'),
    'debug' => (bool) env('APP_DEBUG', false),
    'url' => env('APP_URL', 'http://127.0.0.1:8000'),
    'timezone' => 'UTC',
    'cipher' => 'AES-256-CBC',
    'key' => env('APP_KEY') ?? StorageDirectory::fromEnvironment(dirname(__DIR__))->key(),
    'maintenance' => ['driver' => 'file'],
];
