<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * The next step for a wait. Settings are named as in config/database.php of laravel/framework and PhpRedisConnector;
 * https://github.com/phpredis/phpredis/issues/1920 says why each persistent connection must select its database.
 *
 * @internal
 */
final readonly class Advice
{
    private const REDIS = 'By default, Laravel opens its connections to Redis again in each request. Keep them open: '
        .'REDIS_PERSISTENT=true if config/database.php reads it, as in new applications since Laravel 11.43; otherwise '
        ."'persistent' => true in each Redis connection of that file. "
        ."Give each Redis connection an explicit 'database': a persistent connection without one keeps the "
        .'database that its last user selected. '
        .'Compare the connections per request before and after: total_connections_received of `redis-cli info stats`. ';

    private const REDIS_PERSISTENT = 'The connections are already persistent (pconnect). Look at the server:'
        .' `redis-cli --latency`, `redis-cli slowlog get 10`, rejected_connections and maxclients of `redis-cli info`,'
        .' and its CPU.';

    private const SESSION_PROOF = 'To prove it, run the same load once with SESSION_DRIVER=file.';

    public static function for(WaitReason $wait, ?WaitPurpose $purpose, bool $isPersistent): string
    {
        return match ($wait) {
            WaitReason::Redis => self::redis($purpose, $isPersistent),
            WaitReason::Database => 'The application frames below name the lines. See what the server does at the same'
                .' time: `show full processlist` (MySQL, MariaDB) or pg_stat_activity. Look for slow statements'
                .' (long_query_time = 0.2), locks, and too few connections.'
                .(self::isSession($purpose) ? ' Sessions can be stored elsewhere: SESSION_DRIVER=redis or file.' : ''),
            WaitReason::Http => 'Give each call a timeout, such as Http::connectTimeout(1)->timeout(3). Cache the'
                .' responses, and move calls whose result the page does not need to a queued job.',
            WaitReason::FileLock => self::isSession($purpose)
                ? "PHP's file sessions lock, so requests of one user wait for each other. Call session_write_close()"
                    .' after the last write, or store sessions where they do not lock.'
                : 'Processes wait for each other at one file. `lslocks` names it. Hold the lock for a shorter time.',
            WaitReason::Sleep => $purpose === WaitPurpose::CacheLock
                ? 'Requests wait for each other at an atomic lock (block(), session blocking). Hold it for a shorter'
                    .' time, or do not wait for it in a request.'
                : 'The code calls sleep() or usleep(): the application frames below name the line. retry() and'
                    .' Http::retry() sleep too.',
            WaitReason::Dns => 'Name lookups are slow: time them with `resolvectl query NAME` or `dig NAME`. A local'
                .' cache (systemd-resolved, unbound) or an address instead of a name avoids the lookup.',
            WaitReason::Mail => 'Mails are sent within the request. Queue them (Mail::queue(), ShouldQueue).',
            WaitReason::Memcached => 'Look at the server (`stats`: curr_connections, listen_disabled_num), and keep'
                .' connections open (persistent_id).',
            WaitReason::QueueServer =>
                'Look at the queue server, and check whether each request opens a new connection to it.',
            WaitReason::Subprocess => 'The request waits for a program to end: the application frames below name the'
                .' line. Move it to a queued job, or give it a timeout.',
            WaitReason::Network => 'The application frames below name the line. Give the connection a timeout'
                .' (default_socket_timeout is 60 s).',
            WaitReason::FileOrStream => 'The application frames below name the line. For a local file, look at the disk'
                .' (`iostat -x 1`) and at network mounts. For a URL, file_get_contents() waits up to'
                .' default_socket_timeout, 60 s.',
            WaitReason::Php => 'Check whether the CPU is busy at the same time. If it is, profile the innermost frames'
                .' below (SPX, Excimer, phpspy), and check that OPcache is on. If it is idle, the wait is in'
                .' a call that this command does not know: see the innermost frames.',
        };
    }

    private static function redis(?WaitPurpose $purpose, bool $isPersistent): string
    {
        return $isPersistent ? self::REDIS_PERSISTENT : self::REDIS.(self::isSession($purpose)
            ? self::SESSION_PROOF
            : 'If that changes nothing: `redis-cli slowlog get 10`.');
    }

    private static function isSession(?WaitPurpose $purpose): bool
    {
        return in_array($purpose, [WaitPurpose::SessionWrite, WaitPurpose::SessionRead, WaitPurpose::Session], true);
    }
}
