<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Bench\Samples;
use Headroom\Report\Format;
use Headroom\Report\Page\Box;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The benchmark beside what somebody measures by hand.
 */
final readonly class Comparison
{
    /**
     * @param non-empty-list<array{
     *     driver: string,
     *     bench: non-empty-list<float>,
     *     by_hand: non-empty-list<float>,
     *     ratio: float,
     *     is_within: bool,
     *     is_seen: bool,
     * }> $rows
     */
    private function __construct(private array $rows) {}

    /**
     * @param Piece $figures as ByHand makes them
     * @throws UnableToReadResults
     */
    public static function of(Piece $figures): self
    {
        return new self(array_map(static fn (Piece $row): array => [
            'driver' => $row->text('driver'),
            'bench' => self::rates($row, 'bench'),
            'by_hand' => self::rates($row, 'by_hand'),
            'ratio' => $row->at('compared')->number('ratio'),
            'is_within' => $row->isTrue('within_iqr'),
            'is_seen' => $row->isTrue('difference_seen'),
        ], $figures->rows('rows', 'driver')));
    }

    public function draw(): Section
    {
        $grid = $boxes = [];

        foreach ($this->rows as $row) {
            $hand = new Samples($row['by_hand']);
            $grid[] = [
                $row['driver'],
                Format::significant((new Samples($row['bench']))->median()),
                new Cell(
                    Format::significant($hand->median()),
                    'quartiles '.Format::significant($hand->quantile(0.25)).' to '
                        .Format::significant($hand->quantile(0.75)),
                ),
                Unit::Times->words($row['ratio']),
                match (true) {
                    $row['is_within'] => new Cell('yes', '', Tone::Good),
                    ! $row['is_seen'] => new Cell('no', 'but in turns no difference is seen'),
                    default => new Cell('no', 'a difference is seen', Tone::Alert),
                },
            ];
            $boxes[] = Box::ofSamples("{$row['driver']}, measured", $row['bench']);
            $boxes[] = Box::ofSamples("{$row['driver']}, by hand", $row['by_hand'], color: 8);
        }

        return new Section('by-hand', 'Is it what somebody sees who starts queue:work by hand?', [
            new Paragraph(
                'The same servers, in turns: a run of `headroom:bench`, then ten `php artisan queue:work` of a job that'
                    .' does nothing, in an application that is down until the jobs are queued, and looks at the queue'
                    .' until it is empty, closer to each other as the end comes.',
            ),
            new Table(
                ['jobs per second', 'measured', 'by hand', 'measured / by hand', 'within the quartiles by hand'],
                $grid,
            ),
            new BoxChart(
                'by-hand-rates',
                'Jobs per second, measured and by hand',
                'A point is a run.',
                Unit::PerSecond,
                $boxes,
            ),
        ]);
    }

    /** @return non-empty-list<float> jobs per second */
    private static function rates(Piece $row, string $key): array
    {
        $rates = $row->at($key)->numbers(Piece::LEAST);

        return $rates === [] ? throw $row->wrong($key, 'a list with something in it') : $rates;
    }
}
