<?php

declare(strict_types=1);

return [

    /*
    |--------------------------------------------------------------------------
    | Event Collector
    |--------------------------------------------------------------------------
    |
    | The collector, headroom:collect, accepts events over HTTP, stores
    | them in a bucket of config/spool.php and delivers them.
    | All settings of the collector: docs/configuration.md
    |
    */

    'collector' => [

        // The address for events: host:port, :port, [ipv6]:port or unix:/path. If other machines use it, put a proxy in
        // front that terminates TLS.
        'listen' => env('HEADROOM_LISTEN', '127.0.0.1:8080'),

        // The address for operators, with /livez, /readyz and /metrics; false for none. The address for events serves
        // /livez and /readyz as well.
        'admin' => env('HEADROOM_ADMIN', '127.0.0.1:9180'),

        // The number of processes that accept events; "auto" is one per core.
        'workers' => env('HEADROOM_WORKERS', 'auto'),

        // The number of processes that deliver events; 0 if spool:work or the schedule delivers them.
        'flushers' => env('HEADROOM_FLUSHERS', 1),

        // The bucket that stores the events. Its durability is "power" unless config/spool.php declares another one, so
        // that an event is on disk before the client gets its 202.
        'bucket' => env('HEADROOM_BUCKET', 'events'),

        // Optional settings and their defaults; you may add "high_water" and "descriptors":
        // limits      request_line_bytes 8192, header_bytes 16384, headers 100, body_bytes 5242880,
        //             unfinished_bytes 67108864
        // timeouts    in seconds: header 10, body_idle 30, keep_alive 75, write 30, handler 60, drain 30, drain_idle 3
        // recycle     replace a worker at any of these: requests 0 (no limit), memory 128 (MiB), seconds 86400
        // high_water  undelivered bytes from which on /readyz answers 503: nine tenths of the max_bytes of the bucket
        // descriptors file descriptors that one worker may use: the limit of its event loop, 900 with select()
        'limits' => [],
        'timeouts' => [],
        'recycle' => [],

        // The events that the collector accepts, and from which clients: docs/collector-keys.md
        'intake' => [
            'auth' => env('HEADROOM_AUTH', true),
        ],

        // Classes that implement Headroom\Collector\Handler, by path prefix.
        'handlers' => [
            // '/hooks' => App\Collector\Hooks::class,
        ],
    ],

    /*
    |--------------------------------------------------------------------------
    | Doctor
    |--------------------------------------------------------------------------
    |
    | The doctor, headroom:doctor, runs your own checks after its own.
    | List classes here that implement Headroom\Doctor\CustomCheck.
    |
    */

    'doctor' => [
        'checks' => [
            // App\Doctor\MailTimeout::class,
        ],
    ],

    /*
    |--------------------------------------------------------------------------
    | Event Charts
    |--------------------------------------------------------------------------
    |
    | This page charts the events of an Elasticsearch index over time. In the
    | environment "local" every user may see it. Elsewhere only users
    | that the gate "viewHeadroom" allows may see it: docs/charts.md
    |
    | The bucket is one of config/spool.php with an "elasticsearch" sink. The
    | actions are prefixes of the types of events that end users cause.
    | Events of all other types count as business events.
    |
    */

    'charts' => [
        'enabled' => env('HEADROOM_CHARTS', false),
        'path' => 'headroom/events',
        'middleware' => ['web'],
        'bucket' => 'events',
        'actions' => ['page', 'screen', 'track', 'identify', 'user.', 'ui.'],
    ],

    /*
    |--------------------------------------------------------------------------
    | Preloading
    |--------------------------------------------------------------------------
    |
    | The command headroom:preload generates a preload script for opcache
    | from the classes that your requests use: docs/preload.md
    |
    */

    'preload' => [

        // One in this number of requests writes a sample of its classes, after its response; 0 turns sampling off. The
        // directory of the samples is storage/framework/headroom-preload unless "samples" names another one.
        'sample' => env('HEADROOM_PRELOAD_SAMPLE', 0),
        'samples' => null,

        // The rule that chooses the classes: "hot", "hot-laravel", "vendors", "refined" or "laravel".
        'strategy' => env('HEADROOM_PRELOAD_STRATEGY', 'hot'),

        // A class is "hot" if at least this share of the sampled requests used it.
        'share' => 0.05,

        // Directories and files to add, and directories, files, namespaces and classes to leave out.
        'paths' => [],
        'ignore' => [],

        // The limit of shared memory for the list, in MiB. The list leaves out the least used classes first.
        'budget_mb' => 32,

        // "compile" runs no code when PHP starts. "autoload" loads the classes, so the list can also have files that do
        // more than declare classes.
        'mode' => 'compile',

        // The script belongs to one release, so do not put it into a directory that releases share.
        'file' => 'bootstrap/cache/preload.php',

        // The front controller of the application, and the address that requests go to.
        'front' => 'public/index.php',
        'url' => env('APP_URL', 'http://localhost'),
    ],

];
