<?php

declare(strict_types=1);

return [

    /*
    |--------------------------------------------------------------------------
    | Event Collector
    |--------------------------------------------------------------------------
    |
    | The collector, headroom:collect, accepts events over HTTP, stores them
    | in a bucket of config/spool.php and delivers them. The page
    | docs/configuration.md in vendor/headroom/headroom has all settings of
    | this file.
    |
    */

    'collector' => [

        // The address for events, behind a proxy that terminates TLS.
        'listen' => env('HEADROOM_LISTEN', '127.0.0.1:8080'),

        // The address for operators, or false for none.
        'admin' => env('HEADROOM_ADMIN', '127.0.0.1:9180'),

        // Processes that accept events; "auto" is one per core.
        'workers' => env('HEADROOM_WORKERS', 'auto'),

        // Processes that deliver events; 0 if spool:work or the schedule delivers them.
        'flushers' => env('HEADROOM_FLUSHERS', 1),

        // The bucket that stores the events.
        'bucket' => env('HEADROOM_BUCKET', 'events'),

        // Sizes and times of requests, and when a worker is replaced.
        'limits' => [],
        'timeouts' => [],
        'recycle' => [],

        // The events that the collector accepts, and from which clients.
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
    | Alerts
    |--------------------------------------------------------------------------
    |
    | Receivers of a message about each new problem: a bucket that is not
    | delivered, dead letters, a disk that runs full, a silent machine. The
    | page docs/alerts.md explains them. Try it with headroom:notify --test.
    |
    */

    'notify' => [

        // Mail addresses: a list, or one text with commas.
        'mail' => env('HEADROOM_NOTIFY_MAIL', ''),

        // The address of an incoming webhook of Slack.
        'slack' => env('HEADROOM_NOTIFY_SLACK'),

        // A class or a binding of the container that Laravel can notify.
        'notifiable' => null,

        // Minutes without a delivery that are a problem.
        'after' => 5,

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
    | Dashboard
    |--------------------------------------------------------------------------
    |
    | This page shows the buckets, the events that wait and the dead letters of
    | this machine. In the environment "local" every user may see it. Elsewhere
    | only users that the gate "viewHeadroom" allows may see it, and only those
    | that the gate "manageHeadroom" allows may pause, retry or forget.
    |
    */

    'dashboard' => [
        'enabled' => env('HEADROOM_DASHBOARD', true),
        'path' => 'headroom',
        'middleware' => ['web'],

        // Keys of events whose values the page does not show, at any depth and in any case.
        'redact' => [
            'password', 'passwd', 'secret', 'token', 'access_token', 'refresh_token', 'api_key', 'authorization',
            'cookie',
            'credit_card', 'card_number', 'cvc', 'iban', 'private_key',
        ],
    ],

    /*
    |--------------------------------------------------------------------------
    | Event Charts
    |--------------------------------------------------------------------------
    |
    | This page charts the events of an Elasticsearch index over time. In the
    | environment "local" every user may see it. Elsewhere only users
    | that the gate "viewHeadroom" allows may see it.
    |
    | The bucket is one of config/spool.php with the sink "elasticsearch". The
    | actions are prefixes of the types of events that end users cause.
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
    | Metrics
    |--------------------------------------------------------------------------
    |
    | The numbers of this machine's buffer for Prometheus. A request whose
    | header "Authorization: Bearer" has this token may read them, without a
    | session. Other requests need the gate "viewHeadroom".
    |
    */

    'metrics' => [
        'token' => env('HEADROOM_METRICS_TOKEN'),
    ],

    /*
    |--------------------------------------------------------------------------
    | Preloading
    |--------------------------------------------------------------------------
    |
    | The command headroom:preload generates a preload script for opcache
    | from the classes that your requests use, and proves that no page
    | changes. The page docs/preload.md shows how to use it.
    |
    */

    'preload' => [

        // One in this number of requests writes a sample of its classes; 0 turns sampling off.
        'sample' => env('HEADROOM_PRELOAD_SAMPLE', 0),

        // The directory of the samples; null is storage/framework/headroom-preload.
        'samples' => null,

        // The rule that chooses the classes: "hot", "hot-laravel", "vendors", "refined" or "laravel".
        'strategy' => env('HEADROOM_PRELOAD_STRATEGY', 'hot'),

        // A class is "hot" if at least this share of the sampled requests used it.
        'share' => 0.05,

        // Directories and files to add.
        'paths' => [],

        // Directories, files, namespaces and classes to leave out.
        'ignore' => [],

        // The shared memory that the list may use, in MiB.
        'budget_mb' => 32,

        // "compile" runs no code when PHP starts; "autoload" loads the classes.
        'mode' => 'compile',

        // The script, which belongs to one release.
        'file' => 'bootstrap/cache/preload.php',

        // The front controller of the application.
        'front' => 'public/index.php',

        // The address that requests go to.
        'url' => env('APP_URL', 'http://localhost'),

    ],

];
