<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Where requests wait. Scripts read the ids, so they do not change.
 *
 * @internal
 */
enum Bottleneck: string
{
    case RedisConnections = 'redis-connections';
    case RedisReplies = 'redis-replies';
    case DatabaseConnections = 'database-connections';
    case DatabaseReplies = 'database-replies';
    case DatabaseLocks = 'database-locks';
    case KeptConnections = 'kept-connections';
    case PoolTooSmall = 'pool-too-small';
    case BacklogOverflow = 'backlog-overflow';
    case CpuFull = 'cpu-full';
    case CpuQuota = 'cpu-quota';
    case FileLocks = 'file-locks';
    case Disk = 'disk';
    case KernelLocks = 'kernel-locks';
    case OutgoingCalls = 'outgoing-calls';
    case Sleeping = 'sleeping';
    case ClientLimit = 'client-limit';
    case ApplicationErrors = 'application-errors';
    case Nothing = 'nothing';
    case Unclear = 'unclear';

    public function title(): string
    {
        return match ($this) {
            self::RedisConnections => 'Processes wait for new connections to Redis',
            self::RedisReplies => 'Processes wait for replies of Redis',
            self::DatabaseConnections => 'Processes wait for new connections to the SQL server',
            self::DatabaseReplies => 'Processes wait for results of the SQL server',
            self::DatabaseLocks => 'Transactions wait for locked rows',
            self::KeptConnections => 'Idle connections of nginx occupy the processes',
            self::PoolTooSmall => 'All processes are busy, and the CPUs are idle',
            self::BacklogOverflow => 'The listen queue of the pool overflows',
            self::CpuFull => 'The CPUs are saturated',
            self::CpuQuota => 'A CPU quota throttles the processes',
            self::FileLocks => 'Processes wait for file locks',
            self::Disk => 'Processes wait for a disk',
            self::KernelLocks => 'Processes wait for locks in the kernel',
            self::OutgoingCalls => 'Processes wait for other servers',
            self::Sleeping => 'Processes sleep',
            self::ClientLimit => 'The load generator is the limit',
            self::ApplicationErrors => 'The application responds with errors',
            self::Nothing => 'No bottleneck',
            self::Unclear => 'No cause could be identified',
        };
    }

    /** The server that requests wait for, if they can wait for it in several ways. */
    public function server(): ?string
    {
        return match ($this) {
            self::RedisConnections, self::RedisReplies => 'Redis',
            self::DatabaseConnections, self::DatabaseReplies, self::DatabaseLocks => 'SQL',
            default => null,
        };
    }

    /** @return list<string> ids of the checks that explain it, in the order in which their fixes apply */
    public function checks(): array
    {
        return match ($this) {
            self::RedisConnections => ['R1', 'R2', 'R11'],
            self::RedisReplies => ['R6', 'R9', 'R10', 'R4', 'S9', 'R11'],
            self::DatabaseConnections => ['D2', 'D9', 'D1'],
            self::DatabaseReplies => ['L7', 'L8', 'L9', 'D4', 'D7', 'L18', 'L14', 'L15', 'D9', 'D8'],
            self::DatabaseLocks => ['D10', 'D5', 'D6', 'L7', 'L8', 'L9'],
            self::KeptConnections => ['N5', 'N7', 'N6'],
            self::PoolTooSmall => ['F2', 'F3', 'F4'],
            self::BacklogOverflow => ['F5', 'F6', 'N15', 'S2'],
            self::CpuFull => ['O11', 'O1', 'O2', 'O3', 'O7', 'O5', 'O10', 'O12', 'L1', 'L2', 'L3', 'L6', 'L4', 'L14'],
            self::FileLocks => ['L7', 'L8'],
            self::Disk => ['L13', 'L7', 'L8', 'N13'],
            self::KernelLocks => ['L7', 'L8'],
            self::ApplicationErrors => ['L4'],
            self::CpuQuota => ['S7'],
            // A process that waits for a session lock sleeps and tries again.
            self::Sleeping => ['L19'],
            self::OutgoingCalls, self::ClientLimit, self::Nothing, self::Unclear => [],
        };
    }
}
