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
     * @param array<int, int> $runs how often each job completed, by id
     * @param array<int, int> $begins how often it started, by id
     * @param int $failed given up by Laravel
     * @param int $thrown that ran, and did not leave the queue
     * @param list<Stamp> $completions in the order of their ends; both of a job that ran twice
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
     * @param list<int> $begun ids of jobs that started, once for each start
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

    /** The number of different jobs that ran. */
    public function jobs(): int
    {
        return count($this->runs);
    }

    public function executions(): int
    {
        return count($this->completions);
    }

    /** @return list<int> ids of jobs that never ran */
    public function lost(int $jobs): array
    {
        return array_values(array_filter(range(0, $jobs - 1), fn (int $id): bool => ! isset($this->runs[$id])));
    }

    /** @return list<int> ids of jobs that started or completed more than once */
    public function double(): array
    {
        $isTwice = static fn (int $times): bool => $times > 1;
        $double = array_keys(array_filter($this->runs, $isTwice) + array_filter($this->begins, $isTwice));
        sort($double);

        return $double;
    }

    /**
     * When this many jobs had completed, in monotonic nanoseconds. If fewer completed, when the last one had; null if
     * none did.
     */
    public function endOf(int $jobs): ?int
    {
        return ($this->completions[min($jobs, count($this->completions)) - 1] ?? null)?->ended;
    }

    /** @return list<float> milliseconds from dispatch to start, of each job's first run */
    public function waits(): array
    {
        $waits = [];

        foreach ($this->completions as $stamp) {
            $waits[$stamp->id] = min($waits[$stamp->id] ?? INF, ($stamp->started - $stamp->pushed) / 1_000_000.0);
        }

        return array_values($waits);
    }
}
