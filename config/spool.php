<?php

declare(strict_types=1);

return [

    /*
    |--------------------------------------------------------------------------
    | Buffer Path
    |--------------------------------------------------------------------------
    |
    | Accepted events wait in this directory until they are delivered. It
    | is on a local filesystem, survives your deploys, and all users
    | that serve requests or flush the buffer may write to it.
    |
    */

    'path' => env('SPOOL_PATH', '') === '' ? storage_path('app/private/buffer') : env('SPOOL_PATH'),

    /*
    |--------------------------------------------------------------------------
    | Network Filesystems
    |--------------------------------------------------------------------------
    |
    | Locks and appends on NFS, SMB and FUSE can fail without an error,
    | so that events are lost or arrive twice. When this is true,
    | spool:health notes such a path instead of refusing it.
    |
    */

    'allow_network_filesystem' => env('SPOOL_ALLOW_NETWORK_FILESYSTEM', false),

    /*
    |--------------------------------------------------------------------------
    | Permissions
    |--------------------------------------------------------------------------
    |
    | Only the owner may read and write the buffer by default. When requests
    | and flushes run as different users, give both a common group
    | and set 02770 and 0660, in octal with the leading zero.
    |
    */

    'dir_mode' => env('SPOOL_DIR_MODE', 0700),

    'file_mode' => env('SPOOL_FILE_MODE', 0600),

    /*
    |--------------------------------------------------------------------------
    | Segment Size
    |--------------------------------------------------------------------------
    |
    | Events are appended to segment files. A segment that has reached this
    | size, in bytes, takes no more events, and the buffer begins
    | the next one. Most applications never change this value.
    |
    */

    'segment_bytes' => 32 * 1024 * 1024,

    /*
    |--------------------------------------------------------------------------
    | Minimum Free Bytes
    |--------------------------------------------------------------------------
    |
    | The buffer begins no new segment when its disk has fewer free bytes
    | than these. What happens to the events then is the overflow
    | policy of their bucket. Zero turns this check off.
    |
    */

    'min_free_bytes' => env('SPOOL_MIN_FREE_BYTES', 64 * 1024 * 1024),

    /*
    |--------------------------------------------------------------------------
    | Retention
    |--------------------------------------------------------------------------
    |
    | Delivered segments stay on disk for this number of seconds. Until
    | then you may look at their events, and deliver them again
    | to a database that you had to restore from a backup.
    |
    */

    'retention' => 3600,

    /*
    |--------------------------------------------------------------------------
    | Store
    |--------------------------------------------------------------------------
    |
    | Events wait in files on this machine, or in Redis Streams when
    | your application runs on several machines. A bucket may set a
    | store of its own. You may use the stores "file" and "redis".
    |
    */

    'store' => env('SPOOL_STORE', 'file'),

    /*
    |--------------------------------------------------------------------------
    | Redis
    |--------------------------------------------------------------------------
    |
    | These settings apply to buckets that wait in Redis. The connection
    | is one of config/database.php. Each append waits until
    | this number of replicas has acknowledged its events.
    |
    */

    'redis' => [
        'connection' => env('SPOOL_REDIS_CONNECTION', 'default'),
        'wait' => 0,
    ],

    /*
    |--------------------------------------------------------------------------
    | Schedule
    |--------------------------------------------------------------------------
    |
    | Laravel's scheduler runs spool:flush every minute, but not in
    | maintenance mode. You may turn this off on machines where a
    | worker, spool:work, delivers all events as they arrive.
    |
    */

    'schedule' => env('SPOOL_SCHEDULE', true),

    /*
    |--------------------------------------------------------------------------
    | Enabled
    |--------------------------------------------------------------------------
    |
    | While this is false every event goes straight to the sink of
    | its bucket, within the call and without the buffer. Events
    | that wait in the buffer already are still delivered.
    |
    */

    'enabled' => env('SPOOL_ENABLED', true),

    /*
    |--------------------------------------------------------------------------
    | Flush After Responses
    |--------------------------------------------------------------------------
    |
    | On hosts with neither cron nor a worker, a request may flush the
    | buffer after its response was sent, at most once in this
    | number of seconds. PHP-FPM or LiteSpeed is required.
    |
    */

    'autoflush' => env('SPOOL_AUTOFLUSH', false),

    /*
    |--------------------------------------------------------------------------
    | Heartbeats
    |--------------------------------------------------------------------------
    |
    | Each machine reports its backlog in the table spool_nodes, which
    | the command spool:status --all reads. True uses your default
    | database connection, a name another one, and false is off.
    |
    */

    'heartbeats' => env('SPOOL_HEARTBEATS', true),

    /*
    |--------------------------------------------------------------------------
    | Sinks
    |--------------------------------------------------------------------------
    |
    | A sink is a place that events are delivered to. Several buckets
    | may name the same sink, and each may add settings, such as
    | a table, or replace settings of the sink by its own.
    |
    | Drivers: "database", "file", "handler", "http", "elasticsearch",
    |          "clickhouse", "memory"
    |
    */

    'sinks' => [

        // 'search' => [
        //     'driver' => 'elasticsearch',
        //     'url' => env('ELASTICSEARCH_URL'),
        //     'auth' => ['api_key' => env('ELASTICSEARCH_KEY')],
        // ],

    ],

    /*
    |--------------------------------------------------------------------------
    | Buckets
    |--------------------------------------------------------------------------
    |
    | Each bucket collects events of one kind, and names the sink that they
    | are delivered to: a sink from above, or a driver with its settings.
    | All settings of buckets and sinks: docs/configuration.md
    |
    */

    'buckets' => [

        // 'api-events' => ['sink' => 'database', 'table' => 'api_events', 'batch' => 1000],

        // 'events' => [
        //     'sink' => 'search',
        //     'index' => 'events',
        // ],

        // 'welcome' => [
        //     'sink' => 'handler',
        //     'handler' => App\Buffers\SendWelcome::class,
        //     'rate_limit' => ['max' => 100, 'every' => 60],
        // ],

    ],

];
