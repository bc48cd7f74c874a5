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
    | All settings of the collector: docs/collector.md
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

        // limits      request_line_bytes 8192, header_bytes 16384, headers 100, body_bytes 5242880,
        //             unfinished_bytes 67108864
        // timeouts    in seconds: header 10, body_idle 30, keep_alive 75, write 30, handler 60, drain 30, drain_idle 3
        // recycle     a worker is replaced after this many requests (0: never), MiB of memory (128), seconds (86400)
        // high_water  bytes waiting in the bucket from which on /readyz answers 503; nine tenths of its max_bytes
        // descriptors file descriptors of one worker; the limit of its event loop, which is 900 for select()
        'limits' => [],
        'timeouts' => [],
        'recycle' => [],

        // Which clients may send which events: docs/collector.md
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
    | A page that charts the events of an Elasticsearch index over time. In
    | the environment "local" every user may see it, elsewhere only
    | users that the gate "viewHeadroom" allows: docs/charts.md
    |
    | The bucket is one of config/spool.php with an "elasticsearch" sink.
    | The actions are prefixes of the types that end users cause; all
    | other types count as events of the business.
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

        // One request in this number is sampled, after its response; 0 turns it off. The samples are in the directory
        // storage/framework/headroom-preload unless "samples" names another one.
        'sample' => env('HEADROOM_PRELOAD_SAMPLE', 0),
        'samples' => null,

        // hot, hot-laravel, vendors, refined or laravel
        'strategy' => env('HEADROOM_PRELOAD_STRATEGY', 'hot'),

        // A class is hot if at least this share of the sampled requests used it.
        'share' => 0.05,

        // Directories and files to add, and directories, files, namespaces and classes to leave out.
        'paths' => [],
        'ignore' => [],

        // Shared memory for the list, in MiB. Classes that the fewest requests use are left out first.
        'budget_mb' => 32,

        // "compile" runs no code when PHP starts. "autoload" also includes files that do more than declare classes.
        'mode' => 'compile',

        // The script belongs to one release, so do not put it into a directory that releases share.
        'file' => 'bootstrap/cache/preload.php',

        // The front controller, and the address of the requests.
        'front' => 'public/index.php',
        'url' => env('APP_URL', 'http://localhost'),
    ],

];
