<?php

declare(strict_types=1);

return [

    /*
     * The event collector, `php artisan headroom:collect`. What it takes waits in a bucket of config/spool.php.
     */
    'collector' => [

        /*
         * host:port, :port, [ipv6]:port or unix:/path. A proxy that ends TLS belongs before an
         * address that others reach.
         */
        'listen' => env('HEADROOM_LISTEN', '127.0.0.1:8080'),

        /*
         * /livez, /readyz and /metrics for operators; false is nowhere. The two probes are also where events come in.
         */
        'admin' => env('HEADROOM_ADMIN', '127.0.0.1:9180'),

        /* Processes that take events; auto is one per core. */
        'workers' => env('HEADROOM_WORKERS', 'auto'),

        /* Processes that deliver them; 0 where spool:work or the schedule does. */
        'flushers' => env('HEADROOM_FLUSHERS', 1),

        /*
         * Where events wait. Unless it says otherwise in config/spool.php, its durability is power: 202 means on disk.
         */
        'bucket' => env('HEADROOM_BUCKET', 'events'),

        /*
         * limits      request_line_bytes 8192, header_bytes 16384, headers 100, body_bytes 5242880,
         *             unfinished_bytes 67108864
         * timeouts    seconds: header 10, body_idle 30, keep_alive 75, write 30, handler 60, drain 30, drain_idle 3
         * recycle     a worker is replaced after so many requests (0: never), MiB of memory (128), seconds (86400)
         * high_water  bytes that may wait in the bucket before /readyz says 503; nine tenths of its max_bytes
         * descriptors of one worker; what its event loop bears, which for select() is 900
         */
        'limits' => [],
        'timeouts' => [],
        'recycle' => [],

        /* Who may send what: docs/collector.md */
        'intake' => [
            'auth' => env('HEADROOM_AUTH', true),
        ],

        /* Classes that implement Headroom\Collector\Handler, by path prefix. */
        'handlers' => [
            // '/hooks' => App\Collector\Hooks::class,
        ],
    ],

    /*
     * Checks of your own that `php artisan headroom:doctor` asks after its own: classes that
     * implement Headroom\Doctor\Check.
     */
    'doctor' => [
        'checks' => [
            // App\Doctor\MailTimeout::class,
        ],
    ],

    /*
     * A page that charts events over time from the index: docs/charts.md. Off until it is wanted. Outside of the
     * environment `local` only those see it whom the gate `viewHeadroom` lets in.
     *
     * bucket: one of config/spool.php with the sink `elasticsearch`; its address, index and keys are used.
     * actions: how the types of what end users do begin; all others are business events.
     */
    'charts' => [
        'enabled' => env('HEADROOM_CHARTS', false),
        'path' => 'headroom/events',
        'middleware' => ['web'],
        'bucket' => 'events',
        'actions' => ['page', 'screen', 'track', 'identify', 'user.', 'ui.'],
    ],

    /*
     * opcache preloading, `php artisan headroom:preload`: docs/preload.md
     */
    'preload' => [

        /*
         * One request in so many is observed, after its response; 0 is none. Kept in storage/framework/headroom-preload
         * unless `samples` says otherwise.
         */
        'sample' => env('HEADROOM_PRELOAD_SAMPLE', 0),
        'samples' => null,

        /* hot, hot-laravel, vendors, refined or laravel */
        'strategy' => env('HEADROOM_PRELOAD_STRATEGY', 'hot'),

        /* A class is hot that at least this share of the observed requests used. */
        'share' => 0.05,

        /* More folders and files that are wanted, and folders, files, namespaces and classes that are not. */
        'paths' => [],
        'ignore' => [],

        /* Shared memory that the list may take; what least requests use is left out. */
        'budget_mb' => 32,

        /* compile runs no code when PHP starts; autoload also takes files that do more than declare classes. */
        'mode' => 'compile',

        /* Of each release, so not below a directory that releases share. */
        'file' => 'bootstrap/cache/preload.php',

        /* Where requests enter, and the address that they are asked with. */
        'front' => 'public/index.php',
        'url' => env('APP_URL', 'http://localhost'),
    ],

];
