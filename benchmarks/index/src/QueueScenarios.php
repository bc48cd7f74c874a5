<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Unit;

/**
 * What was measured of queues and stands in no article.
 */
final readonly class QueueScenarios
{
    private const RATES = [
        'deep' => 'Very many that wait',
        'payload' => 'Sizes of the payload',
        'persistent' => 'Connections to Redis, kept or not',
        'cache' => 'Cache store of the workers',
        'output' => 'What workers print of each job',
    ];

    private const SLOW = 'A job longer than retry_after';

    private const ARRIVALS = 'Single jobs, while all workers are idle';

    public function __construct(private Experiment $experiment) {}

    public function block(): Details
    {
        return new Details('What the article did not measure', [
            new Table(
                ['queue', 'jobs', 'ran', 'ran twice', 'never ran', 'given up as failed'],
                $this->rows('slow', [], 5, static fn (QueueFinding $finding): array => $finding->fates()),
                self::SLOW,
            ),
            Paragraph::note(
                'That jobs run twice or are given up is expected there: each takes longer than `retry_after`.'
                    .' One worker has nobody to give a job to.',
            ),
            new Table(
                ['queue', 'until it begins: p50', 'p99', 'valid runs', 'lost, double'],
                $this->rows(
                    'arrivals',
                    [],
                    4,
                    static fn (QueueFinding $finding): array
                        => [...$finding->waits(), $finding->runs(), $finding->account()],
                ),
                self::ARRIVALS,
            ),
            new Table(['', 'queue', 'jobs/s', 'valid runs', 'lost, double'], array_merge([], ...array_map(
                fn (string $part, string $title): array => $this->rows(
                    $part,
                    [$title],
                    3,
                    static fn (QueueFinding $finding): array
                        => [$finding->jobs(), $finding->runs(), $finding->account()],
                ),
                array_keys(self::RATES),
                self::RATES,
            ))),
            ...$this->byHand(),
        ]);
    }

    /**
     * @param list<string> $before each row
     * @param int<1, max> $cells of a row behind the queue
     * @param callable(QueueFinding): list<Cell> $figures
     * @return list<list<string|Cell>>
     */
    private function rows(string $name, array $before, int $cells, callable $figures): array
    {
        $part = $this->experiment->part($name);

        if ($part === null) {
            return [[
                ...$before, 'each queue', ...Missing::cells(Missing::cell($this->experiment->command($name)), $cells),
            ]];
        }

        return array_map(static function (Piece $row) use ($before, $figures): array {
            $finding = QueueFinding::of($row);

            return [...$before, "{$finding->variant}{$finding->alone()}", ...$figures($finding)];
        }, $part->figures->rows('findings', 'variant'));
    }

    /** @return list<Block> whether somebody who starts workers by hand sees the same */
    private function byHand(): array
    {
        $part = $this->experiment->part('by-hand');

        if ($part === null) {
            return [Missing::words('Workers that were started by hand', $this->experiment->command('by-hand'))];
        }

        return [new Table(
            ['workers started by hand', 'as above / by hand', 'inside the quartiles by hand', 'a difference is seen'],
            array_map(static fn (Piece $row): array => [
                $row->text('driver'),
                new Cell(
                    Unit::Times->words($row->at('compared')->number('ratio')),
                    Unit::Times->words($row->at('compared')->number('p25')).' to '
                        .Unit::Times->words($row->at('compared')->number('p75')),
                ),
                $row->isTrue('within_iqr') ? 'yes' : 'no',
                $row->isTrue('difference_seen') ? 'yes' : 'no',
            ], $part->figures->rows('rows', 'driver')),
        )];
    }
}
