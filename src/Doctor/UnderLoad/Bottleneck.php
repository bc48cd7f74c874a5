<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Where requests wait. The ids stay: scripts read them.
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
            self::RedisReplies => 'Processes wait for answers of Redis',
            self::DatabaseConnections => 'Processes wait for new connections to the SQL server',
            self::DatabaseReplies => 'Processes wait for answers of the SQL server',
            self::DatabaseLocks => 'Transactions wait for rows that others have locked',
            self::KeptConnections => 'Idle connections of nginx hold processes that others wait for',
            self::PoolTooSmall => 'All processes are taken, and the CPUs are not',
            self::BacklogOverflow => 'More requests wait than the queue of the pool takes',
            self::CpuFull => 'The CPUs are full',
            self::CpuQuota => 'A quota holds the processes back',
            self::FileLocks => 'Processes wait for locks of files',
            self::Disk => 'Processes wait for a disk',
            self::KernelLocks => 'Processes wait for locks in the kernel',
            self::OutgoingCalls => 'Processes wait for other servers',
            self::Sleeping => 'Processes sleep',
            self::ClientLimit => 'The client that sends the load is the limit',
            self::ApplicationErrors => 'The application itself answers with errors',
            self::Nothing => 'Nothing stalls',
            self::Unclear => 'What was seen does not tell whether or why it stalls',
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

    /** @return list<string> ids of the rules that explain it, the one whose fix comes first at first */
    public function rules(): array
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
            // A lock of a session is waited for asleep, by a look at it now and then.
            self::Sleeping => ['L19'],
            self::OutgoingCalls, self::ClientLimit, self::Nothing, self::Unclear => [],
        };
    }
}
