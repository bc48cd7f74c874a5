<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * Which jobs ran, and how often.
 *
 * @internal
 */
final readonly class JobLedger
{
    /**
     * @param array<int, int> $runs how often it ended, by id
     * @param array<int, int> $begins how often it was begun, by id
     * @param int $failed given up by Laravel
     * @param int $thrown that ran, and did not leave the queue after it
     * @param list<Stamp> $completions in the order in which they ended; of a job that ran twice both
     */
    private function __construct(
        private array $runs,
        private array $begins,
        public int $failed,
        public int $thrown,
        private array $completions,
    ) {}

    /**
     * @param list<Stamp> $stamps
     * @param list<int> $begun ids of jobs that were begun, once for each time, whether they came to an end or not
     */
    public static function of(array $stamps, array $begun = []): self
    {
        $ran = array_values(array_filter($stamps, static fn (Stamp $stamp): bool => $stamp->ending !== Ending::Failed));
        usort($ran, static fn (Stamp $a, Stamp $b): int => $a->ended <=> $b->ended);

        return new self(
            array_count_values(array_map(static fn (Stamp $stamp): int => $stamp->id, $ran)),
            array_count_values($begun),
            count($stamps) - count($ran),
            count(array_filter($ran, static fn (Stamp $stamp): bool => $stamp->ending === Ending::Thrown)),
            $ran,
        );
    }

    /** How many different jobs ran. */
    public function jobs(): int
    {
        return count($this->runs);
    }

    public function executions(): int
    {
        return count($this->completions);
    }

    /** @return list<int> ids of those of so many jobs that never ran */
    public function lost(int $jobs): array
    {
        return array_values(array_filter(range(0, $jobs - 1), fn (int $id): bool => ! isset($this->runs[$id])));
    }

    /** @return list<int> ids of those that ran more than once, also if the run was over before they had ended again */
    public function double(): array
    {
        $isTwice = static fn (int $times): bool => $times > 1;
        $double = array_keys(array_filter($this->runs, $isTwice) + array_filter($this->begins, $isTwice));
        sort($double);

        return $double;
    }

    /**
     * When so many had ended, in monotonic nanoseconds; when the last one had, if there were not so many;
     * null when none had.
     */
    public function endOf(int $jobs): ?int
    {
        return ($this->completions[min($jobs, count($this->completions)) - 1] ?? null)?->ended;
    }

    /** @return list<float> milliseconds from being pushed to being begun, of each job's first run */
    public function waits(): array
    {
        $waits = [];

        foreach ($this->completions as $stamp) {
            $waits[$stamp->id] = min($waits[$stamp->id] ?? INF, ($stamp->started - $stamp->pushed) / 1_000_000.0);
        }

        return array_values($waits);
    }
}
