<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

final class TubeStats
{
    private const NUMBERS = [
        'current-jobs-urgent', 'current-jobs-ready', 'current-jobs-reserved', 'current-jobs-delayed',
        'current-jobs-buried',
        'total-jobs', 'current-using', 'current-waiting', 'current-watching', 'pause', 'cmd-delete', 'cmd-pause-tube',
        'pause-time-left',
    ];

    public function __construct(
        public readonly TubeName $name,
        public readonly int $currentJobsUrgent,
        public readonly int $currentJobsReady,
        public readonly int $currentJobsReserved,
        public readonly int $currentJobsDelayed,
        public readonly int $currentJobsBuried,
        public readonly int $totalJobs,
        public readonly int $currentUsing,
        public readonly int $currentWaiting,
        public readonly int $currentWatching,
        public readonly int $pause,
        public readonly int $cmdDelete,
        public readonly int $cmdPauseTube,
        public readonly int $pauseTimeLeft,
    ) {}

    public static function from(Figures $figures): self
    {
        return new self(...$figures->numbers(self::NUMBERS), name: new TubeName($figures->text('name')));
    }
}
