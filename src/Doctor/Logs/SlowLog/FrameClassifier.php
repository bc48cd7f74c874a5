<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * What a frame says about what is waited for. FPM prints the name of a function or method, not of its class, and the
 * place from which it was called; so some names tell by themselves, some by the file, and some only where nothing was
 * called any more.
 *
 * @internal
 */
final readonly class FrameClassifier
{
    /** Functions of PHP and its extensions that mean one thing wherever they are called. */
    private const BY_NAME = [
        'pconnect' => WaitReason::Redis,
        'mysqli_connect' => WaitReason::Database, 'mysqli_real_connect' => WaitReason::Database,
        'mysqli_query' => WaitReason::Database,
        'mysqli_real_query' => WaitReason::Database, 'mysqli_multi_query' => WaitReason::Database,
        'mysqli_stmt_execute' => WaitReason::Database,
        'real_connect' => WaitReason::Database, 'real_query' => WaitReason::Database,
        'multi_query' => WaitReason::Database,
        'pg_connect' => WaitReason::Database, 'pg_pconnect' => WaitReason::Database,
        'pg_query' => WaitReason::Database,
        'pg_query_params' => WaitReason::Database,
        'pg_execute' => WaitReason::Database, 'pg_get_result' => WaitReason::Database,
        'oci_execute' => WaitReason::Database,
        'oci_connect' => WaitReason::Database,
        'sqlsrv_query' => WaitReason::Database, 'sqlsrv_execute' => WaitReason::Database,
        'odbc_exec' => WaitReason::Database,
        'curl_exec' => WaitReason::Http, 'curl_multi_exec' => WaitReason::Http,
        'curl_multi_select' => WaitReason::Http,
        'get_headers' => WaitReason::Http,
        'flock' => WaitReason::FileLock, 'session_start' => WaitReason::FileLock,
        'sem_acquire' => WaitReason::FileLock,
        'sleep' => WaitReason::Sleep, 'usleep' => WaitReason::Sleep, 'time_nanosleep' => WaitReason::Sleep,
        'time_sleep_until' => WaitReason::Sleep,
        'gethostbyname' => WaitReason::Dns, 'gethostbynamel' => WaitReason::Dns, 'gethostbyaddr' => WaitReason::Dns,
        'dns_get_record' => WaitReason::Dns,
        'dns_get_mx' => WaitReason::Dns, 'dns_check_record' => WaitReason::Dns, 'checkdnsrr' => WaitReason::Dns,
        'getmxrr' => WaitReason::Dns,
        'mail' => WaitReason::Mail, 'mb_send_mail' => WaitReason::Mail, 'imap_open' => WaitReason::Mail,
        'shell_exec' => WaitReason::Subprocess, 'passthru' => WaitReason::Subprocess,
        'popen' => WaitReason::Subprocess,
        'pclose' => WaitReason::Subprocess,
        'proc_open' => WaitReason::Subprocess, 'proc_close' => WaitReason::Subprocess,
        'pcntl_wait' => WaitReason::Subprocess,
        'pcntl_waitpid' => WaitReason::Subprocess,
    ];

    /** Any call below these serves this purpose; the most specific first. */
    private const BY_FILE = [
        '/Illuminate/Redis/' => WaitReason::Redis, '/Illuminate/Cache/RedisStore.php' => WaitReason::Redis,
        '/Illuminate/Cache/RedisLock.php' => WaitReason::Redis,
        '/Illuminate/Cache/PhpRedisLock.php' => WaitReason::Redis,
        '/Illuminate/Queue/RedisQueue.php' => WaitReason::Redis,
        '/predis/predis/' => WaitReason::Redis,
        '/Illuminate/Database/Connectors/' => WaitReason::Database,
        '/Illuminate/Database/Connection.php' => WaitReason::Database,
        '/doctrine/dbal/src/Driver/' => WaitReason::Database, '/mongodb/mongodb/' => WaitReason::Database,
        '/Illuminate/Cache/Memcached' => WaitReason::Memcached,
        '/symfony/mailer/' => WaitReason::Mail, '/swiftmailer/' => WaitReason::Mail, '/phpmailer/' => WaitReason::Mail,
        '/php-amqplib/' => WaitReason::QueueServer, '/pda/pheanstalk/' => WaitReason::QueueServer,
        '/guzzlehttp/guzzle/src/Handler/' => WaitReason::Http, '/symfony/http-client/' => WaitReason::Http,
        '/symfony/process/' => WaitReason::Subprocess,
    ];

    /** Methods of PDO, as Laravel calls them. */
    private const OF_PDO = [
        'execute', 'query', 'exec', 'prepare', 'beginTransaction', 'commit', 'rollBack', 'fetch', 'fetchAll',
        'nextRowset',
    ];

    /** What these names mean as the innermost frame: a method of PHP's own that has not come back yet. */
    private const INNERMOST = [
        'connect' => WaitReason::Redis, 'execute' => WaitReason::Database, 'query' => WaitReason::Database,
        'beginTransaction' => WaitReason::Database, 'commit' => WaitReason::Database,
        'exec' => WaitReason::Subprocess, 'system' => WaitReason::Subprocess,
        'fsockopen' => WaitReason::Network, 'pfsockopen' => WaitReason::Network,
        'stream_socket_client' => WaitReason::Network,
        'stream_select' => WaitReason::Network,
        'stream_socket_enable_crypto' => WaitReason::Network, 'socket_connect' => WaitReason::Network,
        'socket_read' => WaitReason::Network, 'socket_recv' => WaitReason::Network,
        'socket_select' => WaitReason::Network, 'ftp_connect' => WaitReason::Network,
        'ftp_login' => WaitReason::Network,
        '__doRequest' => WaitReason::Http,
        'file_get_contents' => WaitReason::FileOrStream, 'file_put_contents' => WaitReason::FileOrStream,
        'file' => WaitReason::FileOrStream, 'fopen' => WaitReason::FileOrStream,
        'fread' => WaitReason::FileOrStream, 'fgets' => WaitReason::FileOrStream, 'fwrite' => WaitReason::FileOrStream,
        'fclose' => WaitReason::FileOrStream,
        'stream_get_contents' => WaitReason::FileOrStream, 'stream_copy_to_stream' => WaitReason::FileOrStream,
        'readfile' => WaitReason::FileOrStream,
        'fsync' => WaitReason::FileOrStream, 'copy' => WaitReason::FileOrStream, 'rename' => WaitReason::FileOrStream,
        'unlink' => WaitReason::FileOrStream,
        'glob' => WaitReason::FileOrStream, 'scandir' => WaitReason::FileOrStream,
        'is_file' => WaitReason::FileOrStream,
        'file_exists' => WaitReason::FileOrStream,
        'session_write_close' => WaitReason::FileOrStream,
    ];

    /** Of the function by the file from which it is called. */
    private const PURPOSES = [
        '/Illuminate/Cache/RateLimiter.php' => WaitPurpose::RateLimit,
        '/Illuminate/Cache/RateLimiting/' => WaitPurpose::RateLimit,
        '/Illuminate/Cache/Lock.php' => WaitPurpose::CacheLock, '/Illuminate/Redis/Limiters/' => WaitPurpose::RateLimit,
        '/Illuminate/Queue/' => WaitPurpose::Queue, '/Illuminate/Broadcasting/' => WaitPurpose::Broadcast,
        '/Illuminate/Cache/' => WaitPurpose::Cache,
    ];

    /** What a frame waits for, with any call below it. */
    public static function wait(string $function, string $file): ?WaitReason
    {
        if (isset(self::BY_NAME[$function]) && ! ($function === 'pconnect' && str_contains($file, 'emcache'))) {
            return self::BY_NAME[$function];
        }

        if (in_array($function, self::OF_PDO, true) && str_contains($file, '/Illuminate/Database/')) {
            return WaitReason::Database;
        }

        foreach (self::BY_FILE as $part => $wait) {
            if (str_contains($file, $part)) {
                return $wait;
            }
        }

        return null;
    }

    /** What it waits for when it is the innermost. */
    public static function innermost(string $function): ?WaitReason
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

    public static function purpose(string $function, string $file): ?WaitPurpose
    {
        if (in_array($function, ['session_start', 'session_write_close'], true)) {
            return WaitPurpose::Session;
        }

        if (str_ends_with($file, '/Illuminate/Session/Store.php')) {
            return ['read' => WaitPurpose::SessionRead, 'write' => WaitPurpose::SessionWrite][$function] ?? null;
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
