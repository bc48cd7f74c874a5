<?php

declare(strict_types=1);

return [

    /*
     * Where accepted events wait until they are delivered. A directory on a local filesystem, which the users that
     * serve requests and that flush may both write to, and which a deploy leaves alone.
     */
    'path' => env('SPOOL_PATH', '') === '' ? storage_path('app/private/buffer') : env('SPOOL_PATH'),

    /*
     * On NFS, SMB and FUSE locks and appends can fail without a word, so that acknowledged events are lost or delivered
     * twice. True makes spool:health only note it.
     */
    'allow_network_filesystem' => env('SPOOL_ALLOW_NETWORK_FILESYSTEM', false),

    /*
     * Only the owner by default. When requests and flushes run as different users, give both a common group and set
     * 02770 and 0660 (spool:health prints the commands). Octal, with a leading 0.
     */
    'dir_mode' => env('SPOOL_DIR_MODE', 0700),
    'file_mode' => env('SPOOL_FILE_MODE', 0600),

    /* A file of this size takes no more events; the next one begins. Bytes. */
    'segment_bytes' => 32 * 1024 * 1024,

    /*
     * Bytes of free disk that the buffer leaves alone: it begins no new file below. 0 turns it off. What happens to events
     * then says each bucket's on_failure.
     */
    'min_free_bytes' => env('SPOOL_MIN_FREE_BYTES', 64 * 1024 * 1024),

    /*
     * Where events wait: file (this machine's disk) or redis (Redis Streams, for an application on more than one machine:
     * docs/redis.md). Each bucket may say its own. What Redis does not take goes to the disk, and is brought back.
     */
    'store' => env('SPOOL_STORE', 'file'),

    /*
     * connection  a connection or a cluster under redis in config/database.php
     * wait        replicas that must have an event before its append returns; 0 waits for none
     */
    'redis' => [
        'connection' => env('SPOOL_REDIS_CONNECTION', 'default'),
        'wait' => 0,
    ],

    /* How long delivered segments are kept for a look back, and for a database that has to be restored. Seconds. */
    'retention' => 3600,

    /* Puts spool:flush on Laravel's schedule, every minute, but not in maintenance mode. Turn it off where spool:work runs all the time. */
    'schedule' => env('SPOOL_SCHEDULE', true),

    /* False sends every event straight to its sink, within the call; what waits is still flushed. docs/around-the-append.md */
    'enabled' => env('SPOOL_ENABLED', true),

    /*
     * For hosts with neither cron nor a worker: a request that has buffered something flushes once its client has the
     * answer, at most every so many seconds. Needs PHP-FPM or LiteSpeed; elsewhere it does nothing. False is off.
     */
    'autoflush' => env('SPOOL_AUTOFLUSH', false),

    /*
     * Each machine tells the table spool_nodes that it lives and what waits on it: spool:status --all. True is the default
     * database connection, another one can be named, false is off. Without the table nothing is told.
     */
    'heartbeats' => env('SPOOL_HEARTBEATS', true),

    /*
     * Where the events of each bucket go, by the bucket's name.
     *
     * sink   database: rows of `table` on `connection` (the default one unless named), exactly once
     *        mode insert (the default), upsert or aggregate (docs/database-sink.md): the two merge events into the rows that have
     *        the same values in `unique`, over which the table needs a unique index
     *        upsert: `update` names the columns that change (all others by default); `newer` a column in which the greater wins
     *        aggregate: `sum` names the columns that are added up; `max` and `min` those to keep the largest, smallest of
     *        file: a line of JSON per event in the file `path`, at least once. `rotate` ('64M' or 'daily') begins a new
     *        file, `gzip` compresses the old ones, `keep` says how many of them stay
     *        call: the method handle() of the class `handler`, with an event or a batch, at least once (docs/custom-sink.md)
     *        http: a POST per delivery to `url`, at least once; `sign` (a secret), `headers`, `timeout` (docs/uses/outgoing-calls.md)
     *        elasticsearch: documents in the data stream `index` of the cluster at `url`, Elasticsearch or OpenSearch (docs/elasticsearch-sink.md)
     *        clickhouse: rows of `table` through the HTTP interface at `url` (docs/clickhouse-sink.md)
     *        memory: kept in this process, for tests
     *        or a class of your own; other settings are arguments of its constructor
     *        none: only FileSystemBuffer::flush() with a callback of the application takes its events
     * batch  events per delivery, 1 to 65535; fewer once they are 4 MiB together
     * rate   at most so many events in so many seconds, on this machine or, of a bucket in Redis, in all: [100, 'per' => 60]; none by default
     * tries  failures in a row after which an event becomes a dead letter, for sinks that take events one by one; for ever by default
     * quota  bytes that may wait for delivery, 65536 and more; none by default. Each writer may exceed it by a sixteenth, or by 64 KiB where that is more
     * on_failure  what happens to events that the buffer can not take (full disk, quota, permissions):
     *        direct (the default: to the sink now, or throw), throw, drop (counted)
     * durability  what an accepted event survives (docs/durability.md):
     *        process: the death of any process, not a power cut
     *        interval: a power cut, but for about the last second; needs spool:work running all the time
     *        power: a power cut; each append waits for the disk, about a millisecond instead of ten microseconds
     * store  file or redis; as above unless given
     * schedule  when it is delivered: true (the default: each minute, by a worker at once), a cron expression or one of
     *        Laravel's names such as 'hourly', or false (not by the schedule; a worker and spool:flush take it)
     * sample share of events to keep, 0 to 1; the rest is not counted. 1 by default (docs/around-the-append.md)
     * redact keys whose values are replaced before anything is on disk, at every depth or from the top ('card.number'), and
     *        classes with __invoke(array $row, string $bucket): array
     * utf8   what happens to strings that are not UTF-8: replace (the broken bytes), refuse (the event), binary (keep them)
     */
    'buckets' => [
        // 'api-events' => ['sink' => 'database', 'table' => 'api_events', 'batch' => 1000],
        // 'api-usage' => ['sink' => 'database', 'table' => 'api_usage', 'mode' => 'aggregate', 'unique' => ['api_key', 'hour'], 'sum' => ['calls'], 'batch' => 10_000],
        // 'profiles' => ['sink' => 'database', 'table' => 'profiles', 'mode' => 'upsert', 'unique' => ['id'], 'newer' => 'seen_at'],
        // 'welcome' => ['sink' => 'handler', 'handler' => App\Buffers\SendWelcome::class, 'rate_limit' => ['max' => 100, 'every' => 60]],
        // 'crm' => ['sink' => 'http', 'url' => env('CRM_URL'), 'sign' => env('CRM_SECRET'), 'batch' => 200],
        // 'events' => ['sink' => 'elasticsearch', 'url' => env('ELASTICSEARCH_URL'), 'index' => 'events', 'auth' => ['api_key' => env('ELASTICSEARCH_KEY')], 'batch' => 10_000],
        // 'audit' => ['sink' => 'file', 'path' => storage_path('logs/audit.ndjson')],
    ],

];
