<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

/**
 * A fault of a run.
 *
 * @internal
 */
final readonly class Fault
{
    private const SHOWN = 5;

    private function __construct(public FaultKind $kind, public int $count, public string $words) {}

    /** Restores a fault from JSON. */
    public static function of(FaultKind $kind, int $count, string $words): self
    {
        return new self($kind, $count, $words);
    }

    /** @param non-empty-list<int> $ids */
    public static function lost(array $ids): self
    {
        return new self(FaultKind::Lost, count($ids), self::jobs($ids).' never ran');
    }

    /** For a run that ends with the first $counted jobs, in any order. */
    public static function tooFew(int $ran, int $counted): self
    {
        return new self(
            FaultKind::Lost,
            $counted - $ran,
            'no job completed after the first '.self::counted($ran).' of the '.number_format($counted).' that count',
        );
    }

    /** Of the jobs that the run did not reach. */
    public static function gone(int $jobs): self
    {
        return new self(
            FaultKind::Lost,
            $jobs,
            self::counted($jobs).($jobs === 1 ? ' has' : ' have').' left the queue and never ran',
        );
    }

    /** @param non-empty-list<int> $ids */
    public static function double(array $ids): self
    {
        return new self(FaultKind::Double, count($ids), self::jobs($ids).' ran more than once');
    }

    public static function leftBehind(int $jobs): self
    {
        return new self(FaultKind::LeftBehind, $jobs, self::counted($jobs).' still in the queue when the run ended');
    }

    public static function failed(int $jobs): self
    {
        return new self(FaultKind::Failed, $jobs, self::counted($jobs).' failed in Laravel');
    }

    public static function workerEnded(int $workers, string $log): self
    {
        return new self(
            FaultKind::WorkerEnded,
            $workers,
            "{$workers} of the workers ended before the jobs did. The log of one ends with: {$log}",
        );
    }

    public static function throttled(string $how): self
    {
        return new self(FaultKind::Throttled, 1, "the machine was slower than before: {$how}");
    }

    /** @return array{fault: string, count: int, words: string} */
    public function toArray(): array
    {
        return ['fault' => $this->kind->value, 'count' => $this->count, 'words' => $this->words];
    }

    /** @param non-empty-list<int> $ids */
    private static function jobs(array $ids): string
    {
        $shown = implode(', ', array_slice($ids, 0, self::SHOWN)).(count($ids) > self::SHOWN ? ', ...' : '');

        return self::counted(count($ids))." ({$shown})";
    }

    private static function counted(int $jobs): string
    {
        return number_format($jobs).($jobs === 1 ? ' job' : ' jobs');
    }
}
