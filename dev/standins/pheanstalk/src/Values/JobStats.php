<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

final class JobStats
{
    public function __construct(
        public readonly JobId $id,
        public readonly TubeName $tube,
        public readonly JobState $state,
        public readonly int $priority,
        public readonly int $age,
        public readonly int $delay,
        public readonly int $timeToRelease,
        public readonly int $timeLeft,
        public readonly int $file,
        public readonly int $reserves,
        public readonly int $timeouts,
        public readonly int $releases,
        public readonly int $buries,
        public readonly int $kicks,
    ) {}

    public static function from(Figures $figures): self
    {
        $numbers = $figures->numbers([
            'age', 'delay', 'time-left', 'file', 'reserves', 'timeouts', 'releases', 'buries', 'kicks',
        ]);

        return new self(
            ...$numbers,
            id: new JobId($figures->text('id')),
            tube: new TubeName($figures->text('tube')),
            state: JobState::from($figures->text('state')),
            priority: $figures->number('pri'),
            timeToRelease: $figures->number('ttr'),
        );
    }
}
