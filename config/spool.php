<?php

declare(strict_types=1);

return [

    /*
    |--------------------------------------------------------------------------
    | Buffer Path
    |--------------------------------------------------------------------------
    |
    | Accepted events wait in this directory until they are delivered. Choose
    | a local filesystem and a path that your deploys leave alone. Each
    | user that serves requests or flushes must be able to write to it.
    |
    */

    'path' => env('SPOOL_PATH', '') === '' ? storage_path('app/private/buffer') : env('SPOOL_PATH'),

    /*
    |--------------------------------------------------------------------------
    | Network Filesystems
    |--------------------------------------------------------------------------
    |
    | Locks and appends on NFS, SMB and FUSE can fail without an error. Then
    | events are lost or arrive twice, so spool:health refuses such a
    | path. If this is true, spool:health only notes the path.
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
    | Requests append events to segment files. When a file has reached this
    | size, in bytes, it takes no more events, and the buffer begins
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
    | than this. The "overflow" setting of each bucket then decides
    | what happens to new events. Zero turns this check off.
    |
    */

    'min_free_bytes' => env('SPOOL_MIN_FREE_BYTES', 64 * 1024 * 1024),

    /*
    |--------------------------------------------------------------------------
    | Retention
    |--------------------------------------------------------------------------
    |
    | Delivered segments stay on disk for this number of seconds. During
    | this time you may look at their events, and deliver them
    | again to a database that you restored from a backup.
    |
    */

    'retention' => 3600,

    /*
    |--------------------------------------------------------------------------
    | Store
    |--------------------------------------------------------------------------
    |
    | Events wait in files on this machine, or in Redis Streams, which you
    | may use when your application runs on several machines. Each
    | bucket may set its own store. The stores: "file", "redis".
    |
    */

    'store' => env('SPOOL_STORE', 'file'),

    /*
    |--------------------------------------------------------------------------
    | Redis
    |--------------------------------------------------------------------------
    |
    | These settings apply to buckets in Redis. The connection is one of the
    | Redis connections in config/database.php. Each append waits until
    | "wait" replicas have acknowledged its events.
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
    | If this is false, each event goes straight to the sink of its
    | bucket, within the call and without the buffer. Events that
    | are already in the buffer are still delivered.
    |
    */

    'enabled' => env('SPOOL_ENABLED', true),

    /*
    |--------------------------------------------------------------------------
    | Flush After Responses
    |--------------------------------------------------------------------------
    |
    | On hosts with neither cron nor a worker, a request may flush the
    | buffer after it has sent its response, at most once in this
    | number of seconds. This requires PHP-FPM or LiteSpeed.
    |
    */

    'autoflush' => env('SPOOL_AUTOFLUSH', false),

    /*
    |--------------------------------------------------------------------------
    | Heartbeats
    |--------------------------------------------------------------------------
    |
    | Each machine reports its backlog in the table spool_nodes, which the
    | command spool:status --all reads. True uses your default database
    | connection, a string names another one, and false turns it off.
    |
    */

    'heartbeats' => env('SPOOL_HEARTBEATS', true),

    /*
    |--------------------------------------------------------------------------
    | Health Route
    |--------------------------------------------------------------------------
    |
    | If this is true, the health route of Laravel, /up, fails while events
    | wait on this machine and no flush has run for five minutes. It
    | does not fail when a flush runs and a sink is down.
    |
    */

    'health_route' => false,

    /*
    |--------------------------------------------------------------------------
    | Sinks
    |--------------------------------------------------------------------------
    |
    | A sink is a destination of events. Several buckets may name the same
    | sink. Each of them may add settings, such as a table, and may
    | replace settings of the sink with its own.
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
    | Each bucket collects events of one kind, and names the sink that
    | receives them: a sink from above, or a driver with its settings.
    | All settings of buckets and sinks: docs/configuration.md in
    | vendor/headroom/headroom
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
