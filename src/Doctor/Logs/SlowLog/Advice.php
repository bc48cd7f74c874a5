<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * What to do next about a wait. Where settings are named: config/database.php of laravel/framework, PhpRedisConnector,
 * https://github.com/phpredis/phpredis/issues/1920 (why each connection has to select its database).
 *
 * @internal
 */
final readonly class Advice
{
    private const REDIS =
        'Laravel opens new connections to Redis in each request unless it is configured to keep them: '
            ."REDIS_PERSISTENT=true with Laravel 11.43 or newer, 'persistent' => true in each Redis connection of "
            .'config/database.php before. '
            ."Then each Redis connection needs an explicit 'database': without it, a connection uses the database that "
            .'another one has selected. '
            .'Compare connections per request before and after: total_connections_received of `redis-cli info stats`. ';

    private const REDIS_KEPT = 'Connections are kept already (pconnect). Look at the server: `redis-cli --latency`,'
        .' `redis-cli slowlog get 10`, rejected_connections and maxclients of `redis-cli info`, and its CPU.';

    private const SESSION_PROOF = 'To prove it, run the same load once with SESSION_DRIVER=file.';

    public static function for(WaitReason $wait, ?Purpose $purpose, bool $isKept): string
    {
        return match ($wait) {
            WaitReason::Redis => $isKept
                ? self::REDIS_KEPT
                : self::REDIS
                    .(self::isSession($purpose)
                        ? self::SESSION_PROOF
                        : 'If that changes nothing: `redis-cli slowlog get 10`.'),
            WaitReason::Database => 'The application frames below name the lines. See what the server is at meanwhile:'
                .' `show full processlist` (MySQL, MariaDB) or pg_stat_activity; slow statements (long_query_time ='
                .' 0.2), locks, or too few connections.'
                .(self::isSession($purpose) ? ' Sessions can be kept elsewhere: SESSION_DRIVER=redis or file.' : ''),
            WaitReason::Http =>
                'Give each call a time limit, such as Http::connectTimeout(1)->timeout(3), keep answers in'
                    .' the cache, and move calls whose result the page does not need to a queue.',
            WaitReason::FileLock => self::isSession($purpose)
                ? "PHP's file sessions lock: requests of one user wait for each other. Call session_write_close() as"
                    .' soon as nothing more is written, or keep sessions in a store that does not lock.'
                : 'Processes wait for each other at one file. See which one (`lslocks`), and hold the lock for a'
                    .' shorter time.',
            WaitReason::Sleep => $purpose === Purpose::CacheLock
                ? 'Requests wait for each other at an atomic lock (block(), session blocking):'
                    .' hold it for a shorter time, or do not wait for it in a request.'
                : 'The code asks for the sleep: the application frames below name the line.'
                    .' retry() and Http::retry() sleep too.',
            WaitReason::Dns =>
                'Names take long to resolve: time `resolvectl query NAME` or `dig NAME`. Use a local cache'
                    .' (systemd-resolved, unbound), or an address instead of a name.',
            WaitReason::Mail => 'Mails are sent within the request: queue them (Mail::queue(), ShouldQueue).',
            WaitReason::Memcached => 'Look at the server (`stats`: curr_connections, listen_disabled_num) and keep'
                .' connections (persistent_id).',
            WaitReason::QueueServer =>
                'Look at the queue server, and check whether each request opens a new connection.',
            WaitReason::Subprocess =>
                'The request waits for a program to end: the application frames below name the line.'
                    .' Move it to a queue, or give it a time limit.',
            WaitReason::Network => 'The application frames below name the line. Give the connection a time limit'
                .' (default_socket_timeout is 60 s).',
            WaitReason::FileOrStream =>
                'The application frames below name the line. A local file: look at the disk (`iostat'
                    .' -x 1`) and at network mounts. A URL: file_get_contents() waits up to'
                    .' default_socket_timeout, 60 s.',
            WaitReason::Php =>
                'Look whether the CPU is busy meanwhile. If it is, profile the innermost frames below (SPX,'
                    .' Excimer, phpspy) and see that OPcache is on; if it is idle, the wait is in a call that'
                    .' has no name'
                    .' here: see the innermost frames.',
        };
    }

    private static function isSession(?Purpose $purpose): bool
    {
        return in_array($purpose, [Purpose::SessionWrite, Purpose::SessionRead, Purpose::Session], true);
    }
}
