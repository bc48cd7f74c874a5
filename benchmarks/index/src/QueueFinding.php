<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * What was found of one queue, of one way to use it.
 */
final readonly class QueueFinding
{
    /** A spread above this is explained. */
    private const SPREAD = 0.1;

    private function __construct(public string $variant, public ?float $rate, private Piece $figures) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $figures): self
    {
        return new self($figures->text('variant'), $figures->numberOrNull('jobs_per_s'), $figures);
    }

    /** Jobs per second with their quartiles. */
    public function jobs(): Cell
    {
        return $this->rate === null
            ? new Cell('no run was valid', $this->refused(), Tone::Alert)
            : new Cell(
                Unit::PerSecond->words($this->rate),
                Unit::PerSecond->words($this->figures->numberOrNull('p25')).' to '
                    .Unit::PerSecond->words($this->figures->numberOrNull('p75')),
            );
    }

    /** Behind its name, as it stands among rows of more workers. */
    public function alone(): string
    {
        return $this->figures->at('workload')->number('workers') <= 1.0 ? ', one worker' : '';
    }

    /**
     * Where jobs are made to come again: how many were queued, how often they ran, how many of them more than once,
     * never, and given up.
     *
     * @return non-empty-list<Cell>
     */
    public function fates(): array
    {
        $outcomes = $this->figures->list('outcomes');

        if ($outcomes === [] || $this->refused() !== '') {
            return Missing::cells(new Cell('not measured', $this->refused(), Tone::Alert), 5);
        }

        $sum = static fn (string $key): string
            => Unit::Count->words(array_sum(array_map(static fn (Piece $run): float => $run->number($key), $outcomes)));

        return [
            new Cell($sum('jobs')),
            new Cell($sum('executions')),
            ...array_map(
                fn (string $key): Cell => new Cell(Unit::Count->words($this->figures->number($key))),
                ['double', 'lost', 'failed'],
            ),
        ];
    }

    /** @return non-empty-list<Cell> from being queued to being begun, of half and of all but one of a hundred jobs */
    public function waits(): array
    {
        $waits = $this->figures->find('wait_ms');

        return $waits === null
            ? Missing::cells(new Cell('no run was valid', $this->refused(), Tone::Alert), 2)
            : array_map(
                static fn (string $key): Cell => new Cell(Unit::Millis->words($waits->number($key))),
                ['p50', 'p99'],
            );
    }

    /** @param ?float $theirs jobs per second */
    public function times(?float $theirs): string
    {
        return Unit::Times->words($this->rate === null || $theirs === null ? null : $this->rate / $theirs);
    }

    /** Every run is counted, nothing is lost and nothing done twice. */
    public function isClean(): bool
    {
        return $this->refused() === ''
            && $this->rate !== null
            && $this->figures->number('valid_runs') >= $this->figures->number('runs')
            && $this->figures->number('lost') + $this->figures->number('double') <= 0.0;
    }

    public function runs(): Cell
    {
        $count = fn (string $key): string => Unit::Count->words($this->figures->number($key));
        $throttled = $this->figures->number('throttled_runs');

        return new Cell(
            "{$count('valid_runs')} of {$count('runs')}",
            $throttled > 0.0 ? "and {$count('throttled_runs')} throttled" : '',
            $this->isClean() ? Tone::Plain : Tone::Alert,
        );
    }

    public function account(): Cell
    {
        return new Cell(
            Unit::Count->words($this->figures->number('lost')).', '
                .Unit::Count->words($this->figures->number('double')),
            '',
            $this->isClean() ? Tone::Plain : Tone::Alert,
        );
    }

    public function spread(): Cell
    {
        $share = $this->figures->numberOrNull('iqr_share');

        return new Cell(
            Unit::Share->words($share),
            $this->figures->text('why_spread'),
            $share !== null && $share > self::SPREAD ? Tone::Alert : Tone::Plain,
        );
    }

    /** What a job survives there, and the server. */
    public function durability(): Cell
    {
        $driver = $this->figures->at('driver');

        $durability = $driver->text('durability');

        return new Cell(Durability::tryFrom($durability)?->words() ?? $durability, $driver->text('software'));
    }

    /** Why it was not measured, or not to the end; '' when it was. */
    private function refused(): string
    {
        return $this->figures->text('refused');
    }

    /** @return list<float> jobs per second of the runs that count */
    public function samples(): array
    {
        $samples = [];

        foreach ($this->figures->list('outcomes') as $run) {
            $samples = [...$samples, ...($run->isTrue('valid') ? [$run->number('jobs_per_s')] : [])];
        }

        return $samples;
    }
}
