<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * Counts which jobs ran, and how often.
 *
 * @internal
 */
final readonly class JobLedger
{
    /**
     * A run ends when the job's code ended, even if the job then stayed in the queue (JobOutcome::Thrown).
     *
     * @param array<int, int> $runsById how often each job ran to its end
     * @param array<int, int> $startsById how often each job started
     * @param int $failed jobs that Laravel gave up
     * @param int $thrown runs after which the job stayed in the queue
     * @param list<JobRecord> $runs in the order of their ends; a job that ran twice has two records
     */
    private function __construct(
        private array $runsById,
        private array $startsById,
        public int $failed,
        public int $thrown,
        private array $runs,
    ) {}

    /**
     * @param list<JobRecord> $records
     * @param list<int> $begun ids of jobs that started, once for each start
     */
    public static function of(array $records, array $begun = []): self
    {
        $runs = array_values(array_filter(
            $records,
            static fn (JobRecord $record): bool => $record->outcome !== JobOutcome::Failed,
        ));
        usort($runs, static fn (JobRecord $a, JobRecord $b): int => $a->ended <=> $b->ended);

        return new self(
            array_count_values(array_map(static fn (JobRecord $record): int => $record->id, $runs)),
            array_count_values($begun),
            count($records) - count($runs),
            count(array_filter($runs, static fn (JobRecord $record): bool => $record->outcome === JobOutcome::Thrown)),
            $runs,
        );
    }

    /** The number of different jobs that ran. */
    public function jobs(): int
    {
        return count($this->runsById);
    }

    /** The number of runs; a job that ran twice counts twice. */
    public function runs(): int
    {
        return count($this->runs);
    }

    /**
     * @param int $jobs number of jobs that were dispatched, with the ids from 0 on
     * @return list<int> ids of jobs without a run that ended, even if they started
     */
    public function lost(int $jobs): array
    {
        // range(0, -1) counts down.
        $ids = $jobs > 0 ? range(0, $jobs - 1) : [];

        return array_values(array_filter($ids, fn (int $id): bool => ! isset($this->runsById[$id])));
    }

    /** @return list<int> ids of jobs that started or ran more than once */
    public function duplicated(): array
    {
        $isRepeated = static fn (int $times): bool => $times > 1;
        $ids = array_keys(array_filter($this->runsById, $isRepeated) + array_filter($this->startsById, $isRepeated));
        sort($ids);

        return $ids;
    }

    /**
     * When the run with this number ended, in monotonic nanoseconds; the first to end is run 1. If there are fewer
     * runs, when the last one ended; null if no run ended.
     */
    public function endOfRun(int $number): ?int
    {
        return ($this->runs[min($number, count($this->runs)) - 1] ?? null)?->ended;
    }

    /** @return list<float> milliseconds from dispatch to start, of each job's first run */
    public function waits(): array
    {
        $waits = [];

        foreach ($this->runs as $record) {
            $waits[$record->id] = min($waits[$record->id] ?? INF, ($record->started - $record->pushed) / 1_000_000.0);
        }

        return array_values($waits);
    }
}
