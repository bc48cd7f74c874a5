<?php

declare(strict_types=1);

$server = [
    'url' => env('DB_URL'),
    'host' => env('DB_HOST', '127.0.0.1'),
    'database' => env('DB_DATABASE', 'headroom'),
    'username' => env('DB_USERNAME', 'headroom'),
    'password' => env('DB_PASSWORD', ''),
    'prefix' => '',
    'prefix_indexes' => true,
    // What the server is taken for; null asks it. The queue's driver leaves SKIP LOCKED away before MySQL 8.0.1.
    'version' => env('DB_VERSION'),
];

$mysql = [
    ...$server,
    'port' => env('DB_PORT', '3306'),
    'unix_socket' => env('DB_SOCKET', ''),
    'charset' => 'utf8mb4',
    'collation' => 'utf8mb4_unicode_ci',
    'strict' => true,
    'engine' => null,
];

$redis = [
    'url' => env('REDIS_URL'),
    'host' => env('REDIS_HOST', '127.0.0.1'),
    'username' => env('REDIS_USERNAME'),
    'password' => env('REDIS_PASSWORD'),
    'port' => env('REDIS_PORT', '6379'),
    'timeout' => 1.0,
    'read_timeout' => 1.0,
    'read_write_timeout' => 1.0,
];

// Workers block for 5 seconds (block_for in queue.php), and a client gives up no earlier.
$patient = ['read_timeout' => 10.0, 'read_write_timeout' => 10.0];

return [
    'default' => env('DB_CONNECTION', 'sqlite'),

    'connections' => [
        // Laravel's own settings: the synchronous endpoint shall be what an ordinary application has.
        'sqlite' => [
            'driver' => 'sqlite',
            'url' => env('DB_URL'),
            'database' => env('DB_DATABASE', storage_path('database.sqlite')),
            'prefix' => '',
            'foreign_key_constraints' => env('DB_FOREIGN_KEYS', true),
            'busy_timeout' => env('DB_BUSY_TIMEOUT'),
            'journal_mode' => env('DB_JOURNAL_MODE'),
            'synchronous' => env('DB_SYNCHRONOUS'),
            'transaction_mode' => env('DB_TRANSACTION_MODE', 'DEFERRED'),
        ],

        'mariadb' => ['driver' => 'mariadb', ...$mysql],

        'mysql' => ['driver' => 'mysql', ...$mysql],

        'pgsql' => [
            'driver' => 'pgsql',
            ...$server,
            'port' => env('DB_PORT', '5432'),
            'charset' => 'utf8',
            'search_path' => 'public',
            'sslmode' => 'prefer',
        ],
    ],

    'migrations' => ['table' => 'migrations'],

    'redis' => [
        'client' => env('REDIS_CLIENT', 'phpredis'),
        'options' => [
            'prefix' => env('REDIS_PREFIX', 'workbench_'),
            'persistent' => env('REDIS_PERSISTENT', false),
            'cluster' => 'redis',
        ],
        // host:port with commas between them.
        'clusters' => [
            'shared' => array_map(
                fn (string $node): array => [
                    ...$redis,
                    ...$patient,
                    'url' => null,
                    'host' => strtok($node, ':'),
                    'port' => (int) strtok(''),
                ],
                array_filter(explode(',', (string) env('REDIS_CLUSTER_NODES', ''))),
            ),
        ],
        'default' => [...$redis, ...$patient, 'database' => env('REDIS_DB', '0')],
        'cache' => [...$redis, 'database' => env('REDIS_CACHE_DB', '1')],
    ],
];
