<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * What a request can be found waiting for.
 *
 * @internal
 */
enum WaitReason: string
{
    case Redis = 'redis';
    case Database = 'database';
    case Http = 'http';
    case FileLock = 'file_lock';
    case Sleep = 'sleep';
    case Dns = 'dns';
    case Mail = 'mail';
    case Memcached = 'memcached';
    case QueueServer = 'queue_server';
    case Subprocess = 'subprocess';
    case Network = 'network';
    case FileOrStream = 'file_or_stream';
    case Php = 'php';

    public function words(): string
    {
        return match ($this) {
            self::Redis => 'Redis',
            self::Database => 'the database',
            self::Http => 'an HTTP call',
            self::FileLock => 'a file lock',
            self::Sleep => 'a sleep',
            self::Dns => 'a name lookup (DNS)',
            self::Mail => 'the mail server',
            self::Memcached => 'Memcached',
            self::QueueServer => 'the queue server',
            self::Subprocess => 'another program',
            self::Network => 'a network connection',
            self::FileOrStream => 'a file or stream',
            self::Php => 'no known call: perhaps PHP itself',
        };
    }
}
