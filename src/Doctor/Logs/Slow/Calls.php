<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Slow;

/**
 * What a frame says about what is waited for. FPM prints the name of a function or method, not of its class, and the
 * place from which it was called; so some names tell by themselves, some by the file, and some only where nothing was
 * called any more.
 *
 * @internal
 */
final readonly class Calls
{
    /** Functions of PHP and its extensions that mean one thing wherever they are called. */
    private const BY_NAME = [
        'pconnect' => Wait::Redis,
        'mysqli_connect' => Wait::Database, 'mysqli_real_connect' => Wait::Database, 'mysqli_query' => Wait::Database,
        'mysqli_real_query' => Wait::Database, 'mysqli_multi_query' => Wait::Database,
        'mysqli_stmt_execute' => Wait::Database,
        'real_connect' => Wait::Database, 'real_query' => Wait::Database, 'multi_query' => Wait::Database,
        'pg_connect' => Wait::Database, 'pg_pconnect' => Wait::Database, 'pg_query' => Wait::Database,
        'pg_query_params' => Wait::Database,
        'pg_execute' => Wait::Database, 'pg_get_result' => Wait::Database, 'oci_execute' => Wait::Database,
        'oci_connect' => Wait::Database,
        'sqlsrv_query' => Wait::Database, 'sqlsrv_execute' => Wait::Database, 'odbc_exec' => Wait::Database,
        'curl_exec' => Wait::Http, 'curl_multi_exec' => Wait::Http, 'curl_multi_select' => Wait::Http,
        'get_headers' => Wait::Http,
        'flock' => Wait::FileLock, 'session_start' => Wait::FileLock, 'sem_acquire' => Wait::FileLock,
        'sleep' => Wait::Sleep, 'usleep' => Wait::Sleep, 'time_nanosleep' => Wait::Sleep,
        'time_sleep_until' => Wait::Sleep,
        'gethostbyname' => Wait::Dns, 'gethostbynamel' => Wait::Dns, 'gethostbyaddr' => Wait::Dns,
        'dns_get_record' => Wait::Dns,
        'dns_get_mx' => Wait::Dns, 'dns_check_record' => Wait::Dns, 'checkdnsrr' => Wait::Dns, 'getmxrr' => Wait::Dns,
        'mail' => Wait::Mail, 'mb_send_mail' => Wait::Mail, 'imap_open' => Wait::Mail,
        'shell_exec' => Wait::Subprocess, 'passthru' => Wait::Subprocess, 'popen' => Wait::Subprocess,
        'pclose' => Wait::Subprocess,
        'proc_open' => Wait::Subprocess, 'proc_close' => Wait::Subprocess, 'pcntl_wait' => Wait::Subprocess,
        'pcntl_waitpid' => Wait::Subprocess,
    ];

    /** Whatever is called there is called for this; the most special first. */
    private const BY_FILE = [
        '/Illuminate/Redis/' => Wait::Redis, '/Illuminate/Cache/RedisStore.php' => Wait::Redis,
        '/Illuminate/Cache/RedisLock.php' => Wait::Redis,
        '/Illuminate/Cache/PhpRedisLock.php' => Wait::Redis, '/Illuminate/Queue/RedisQueue.php' => Wait::Redis,
        '/predis/predis/' => Wait::Redis,
        '/Illuminate/Database/Connectors/' => Wait::Database, '/Illuminate/Database/Connection.php' => Wait::Database,
        '/doctrine/dbal/src/Driver/' => Wait::Database, '/mongodb/mongodb/' => Wait::Database,
        '/Illuminate/Cache/Memcached' => Wait::Memcached,
        '/symfony/mailer/' => Wait::Mail, '/swiftmailer/' => Wait::Mail, '/phpmailer/' => Wait::Mail,
        '/php-amqplib/' => Wait::QueueServer, '/pda/pheanstalk/' => Wait::QueueServer,
        '/guzzlehttp/guzzle/src/Handler/' => Wait::Http, '/symfony/http-client/' => Wait::Http,
        '/symfony/process/' => Wait::Subprocess,
    ];

    /** Methods of PDO, as Laravel calls them. */
    private const OF_PDO = [
        'execute', 'query', 'exec', 'prepare', 'beginTransaction', 'commit', 'rollBack', 'fetch', 'fetchAll',
        'nextRowset',
    ];

    /** What these names mean as the innermost frame: a method of PHP's own that has not come back yet. */
    private const INNERMOST = [
        'connect' => Wait::Redis, 'execute' => Wait::Database, 'query' => Wait::Database,
        'beginTransaction' => Wait::Database, 'commit' => Wait::Database,
        'exec' => Wait::Subprocess, 'system' => Wait::Subprocess,
        'fsockopen' => Wait::Network, 'pfsockopen' => Wait::Network, 'stream_socket_client' => Wait::Network,
        'stream_select' => Wait::Network,
        'stream_socket_enable_crypto' => Wait::Network, 'socket_connect' => Wait::Network,
        'socket_read' => Wait::Network, 'socket_recv' => Wait::Network,
        'socket_select' => Wait::Network, 'ftp_connect' => Wait::Network, 'ftp_login' => Wait::Network,
        '__doRequest' => Wait::Http,
        'file_get_contents' => Wait::FileOrStream, 'file_put_contents' => Wait::FileOrStream,
        'file' => Wait::FileOrStream, 'fopen' => Wait::FileOrStream,
        'fread' => Wait::FileOrStream, 'fgets' => Wait::FileOrStream, 'fwrite' => Wait::FileOrStream,
        'fclose' => Wait::FileOrStream,
        'stream_get_contents' => Wait::FileOrStream, 'stream_copy_to_stream' => Wait::FileOrStream,
        'readfile' => Wait::FileOrStream,
        'fsync' => Wait::FileOrStream, 'copy' => Wait::FileOrStream, 'rename' => Wait::FileOrStream,
        'unlink' => Wait::FileOrStream,
        'glob' => Wait::FileOrStream, 'scandir' => Wait::FileOrStream, 'is_file' => Wait::FileOrStream,
        'file_exists' => Wait::FileOrStream,
        'session_write_close' => Wait::FileOrStream,
    ];

    /** Of the function by the file from which it is called. */
    private const PURPOSES = [
        '/Illuminate/Cache/RateLimiter.php' => Purpose::RateLimit,
        '/Illuminate/Cache/RateLimiting/' => Purpose::RateLimit,
        '/Illuminate/Cache/Lock.php' => Purpose::CacheLock, '/Illuminate/Redis/Limiters/' => Purpose::RateLimit,
        '/Illuminate/Queue/' => Purpose::Queue, '/Illuminate/Broadcasting/' => Purpose::Broadcast,
        '/Illuminate/Cache/' => Purpose::Cache,
    ];

    /** What a frame waits for, whatever is called from it. */
    public static function wait(string $function, string $file): ?Wait
    {
        if (isset(self::BY_NAME[$function]) && ! ($function === 'pconnect' && str_contains($file, 'emcache'))) {
            return self::BY_NAME[$function];
        }

        if (in_array($function, self::OF_PDO, true) && str_contains($file, '/Illuminate/Database/')) {
            return Wait::Database;
        }

        foreach (self::BY_FILE as $part => $wait) {
            if (str_contains($file, $part)) {
                return $wait;
            }
        }

        return null;
    }

    /** What it waits for when it is the innermost. */
    public static function innermost(string $function): ?Wait
    {
        return self::INNERMOST[$function] ?? null;
    }

    /** Whether the name is that of a call in which PHP waits, and not of code that leads there. */
    public static function isCall(string $function): bool
    {
        return isset(self::BY_NAME[$function])
            || isset(self::INNERMOST[$function])
            || in_array($function, self::OF_PDO, true);
    }

    public static function purpose(string $function, string $file): ?Purpose
    {
        if (in_array($function, ['session_start', 'session_write_close'], true)) {
            return Purpose::Session;
        }

        if (str_ends_with($file, '/Illuminate/Session/Store.php')) {
            return ['read' => Purpose::SessionRead, 'write' => Purpose::SessionWrite][$function] ?? null;
        }

        foreach (self::PURPOSES as $part => $purpose) {
            if (str_contains($file, $part)) {
                return $purpose;
            }
        }

        return null;
    }

    /** The library that speaks to Redis, where the file's name has it. */
    public static function client(string $file): ?string
    {
        return match (true) {
            str_contains($file, '/PhpRedis') => 'phpredis',
            str_contains($file, '/predis/predis/'), str_contains($file, '/Predis') => 'predis',
            default => null,
        };
    }
}
