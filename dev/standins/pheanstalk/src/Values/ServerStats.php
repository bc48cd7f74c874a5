<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

/**
 * Some of the server's statistics: load, version, limits and binlog. Without -b currentIndex is 0.
 */
final class ServerStats
{
    private const NUMBERS = [
        'current-jobs-urgent', 'current-jobs-ready', 'current-jobs-reserved', 'current-jobs-delayed',
        'current-jobs-buried',
        'cmd-put', 'cmd-reserve', 'cmd-reserve-with-timeout', 'cmd-delete', 'cmd-release', 'cmd-bury', 'cmd-kick',
        'job-timeouts', 'total-jobs', 'max-job-size', 'current-tubes', 'current-connections', 'current-producers',
        'current-workers',
        'current-waiting', 'total-connections', 'pid', 'uptime',
        'binlog-oldest-index', 'binlog-current-index', 'binlog-records-migrated', 'binlog-records-written',
        'binlog-max-size',
    ];

    public function __construct(
        public readonly int $currentJobsUrgent,
        public readonly int $currentJobsReady,
        public readonly int $currentJobsReserved,
        public readonly int $currentJobsDelayed,
        public readonly int $currentJobsBuried,
        public readonly int $cmdPut,
        public readonly int $cmdReserve,
        public readonly int $cmdReserveWithTimeout,
        public readonly int $cmdDelete,
        public readonly int $cmdRelease,
        public readonly int $cmdBury,
        public readonly int $cmdKick,
        public readonly int $jobTimeouts,
        public readonly int $totalJobs,
        public readonly int $maxJobSize,
        public readonly int $currentTubes,
        public readonly int $currentConnections,
        public readonly int $currentProducers,
        public readonly int $currentWorkers,
        public readonly int $currentWaiting,
        public readonly int $totalConnections,
        public readonly int $pid,
        public readonly int $uptime,
        public readonly int $binlogOldestIndex,
        public readonly int $binlogCurrentIndex,
        public readonly int $binlogRecordsMigrated,
        public readonly int $binlogRecordsWritten,
        public readonly int $binlogMaxSize,
        public readonly string $version,
        public readonly float $rusageUtime,
        public readonly float $rusageStime,
        public readonly bool $draining,
        public readonly string $id,
        public readonly string $hostname,
        public readonly string $os,
        public readonly string $platform,
    ) {}

    public static function from(Figures $figures): self
    {
        return new self(
            ...$figures->numbers(self::NUMBERS),
            version: $figures->text('version'),
            rusageUtime: (float) $figures->text('rusage-utime'),
            rusageStime: (float) $figures->text('rusage-stime'),
            draining: $figures->text('draining') === 'true',
            id: $figures->text('id'),
            hostname: $figures->text('hostname'),
            os: $figures->text('os'),
            platform: $figures->text('platform'),
        );
    }
}
