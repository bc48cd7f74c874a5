<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\SpreadExplanation;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Samples;
use Headroom\Report\Format;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\BoxPlot;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * A scenario on the page.
 *
 * @internal
 */
final readonly class ScenarioSection
{
    public function __construct(
        private Scenario $scenario,
        private Findings $findings,
    ) {}

    public function draw(): Section
    {
        $blocks = [$this->table()];

        if (! $this->findings->isAlikeDurable() && ! $this->scenario->isAboutFates()) {
            $blocks[] = new Paragraph(
                'Drivers that keep jobs on disk and drivers that do not do different work. Compare rows of the same'
                    .' durability.',
            );
        }

        $notes = $this->notes();
        $isIll = ! $this->findings->isValid($this->scenario->isAboutFates());

        return new Section(
            $this->scenario->value,
            $this->scenario->question(),
            [...$blocks, ...$this->charts(), ...($notes === [] ? [] : [new BulletList($notes)])],
            $isIll ? Tone::Alert : Tone::Plain,
        );
    }

    private function table(): Table
    {
        $rows = [];

        foreach ($this->findings->byDurability() as $group) {
            foreach ($group as $finding) {
                $rows[] = [
                    new Cell($finding->variant->label(), $finding->variant->facts->software),
                    $finding->variant->facts->durability->words(),
                    ...$this->figures($finding),
                ];
            }
        }

        return new Table(['', 'jobs are', ...$this->headings()], $rows);
    }

    /** @return list<string> */
    private function headings(): array
    {
        return match (true) {
            $this->scenario->isAboutFates() => ['jobs', 'ran', 'ran twice', 'never ran', 'given up as failed'],
            $this->scenario === Scenario::Arrivals => [
                'p50', 'p90', 'p99', 'longest', 'valid runs', 'lost', 'ran twice',
            ],
            default => ['jobs/s', 'spread', 'jobs a run', 'valid runs', 'lost', 'ran twice'],
        };
    }

    /** @return list<Cell|string> */
    private function figures(Finding $finding): array
    {
        $summary = $finding->summary();
        $valid = new Cell(
            "{$summary['valid_runs']} of {$summary['runs']}",
            $summary['throttled_runs'] > 0 ? "{$summary['throttled_runs']} more on a slower machine" : '',
            $summary['valid_runs'] < $summary['runs'] ? Tone::Alert : Tone::Plain,
        );
        $bad = static fn (int $count): Cell
            => new Cell(Format::count($count), '', $count > 0 ? Tone::Alert : Tone::Plain);

        if ($this->scenario->isAboutFates() && ($finding->refused !== '' || $finding->outcomes === [])) {
            return [new Cell('refused', '', Tone::Alert), '', '', '', ''];
        }

        if ($this->scenario->isAboutFates()) {
            return [
                Format::count(array_sum(array_map(
                    static fn (Outcome $outcome): int => $outcome->jobs,
                    $finding->outcomes,
                ))),
                Format::count(array_sum(array_map(
                    static fn (Outcome $outcome): int => $outcome->executions,
                    $finding->outcomes,
                ))),
                $bad($summary['double']),
                $bad($summary['lost']),
                $bad($summary['failed']),
            ];
        }

        $fates = [$valid, $bad($summary['lost']), $bad($summary['double'])];

        if ($this->scenario === Scenario::Arrivals) {
            $waits = $finding->waits();

            return [
                ...array_map(
                    static fn (float $q): string => Unit::Millis->words($waits?->quantile($q)),
                    [0.5, 0.9, 0.99, 1.0],
                ),
                ...$fates,
            ];
        }

        $rates = $finding->rates();

        return $rates === null
            ? [new Cell($finding->refused === '' ? 'not valid' : 'refused', '', Tone::Alert), '', '', ...$fates]
            : [
                new Cell(
                    Format::significant($rates->median()),
                    $summary['iqr_share'] === null
                        ? 'of one run'
                        : 'quartiles '.Format::significant($rates->quantile(0.25)).' to '
                            .Format::significant($rates->quantile(0.75)),
                ),
                Unit::Share->words($summary['iqr_share']),
                Format::count($finding->variant->workload->jobs),
                ...$fates,
            ];
    }

    /** @return list<Block> */
    private function charts(): array
    {
        if ($this->scenario->isAboutFates()) {
            return [];
        }

        return $this->scenario === Scenario::Arrivals
            ? [$this->waits()]
            : [$this->rates(), ...($this->scenario === Scenario::Empty ? $this->depths() : [])];
    }

    private function rates(): BoxChart
    {
        $boxes = array_map(function (Finding $finding): BoxPlot {
            $rates = array_map(
                static fn (Outcome $outcome): float => round($outcome->perSecond(), 1),
                $finding->valid(),
            );

            return $rates === [] || $finding->refused !== ''
                ? BoxPlot::missing($finding->variant->label(), $finding->refused === '' ? 'no valid run' : 'refused')
                : BoxPlot::ofSamples($finding->variant->label(), $rates);
        }, $this->ordered());

        return new BoxChart(
            "{$this->scenario->value}-rates",
            'Jobs per second',
            'A point is a run; the box holds the middle half of the runs.',
            Unit::PerSecond,
            $boxes,
        );
    }

    private function waits(): BarChart
    {
        $at = fn (float $q): array => array_map(
            static fn (Finding $finding): ?float
                => ($waits = $finding->waits()) === null ? null : round($waits->quantile($q), 3),
            $this->ordered(),
        );

        return new BarChart(
            'arrivals-waits',
            'From dispatch to start',
            'Single jobs, which arrive one after the other while all workers are idle.',
            array_map(static fn (Finding $finding): string => $finding->variant->label(), $this->ordered()),
            Unit::Millis,
            [new Bars('p50', $at(0.5)), new Bars('p99', $at(0.99))],
            isHorizontal: true,
        );
    }

    /** @return list<Block> */
    private function depths(): array
    {
        $lines = [];

        // A driver without a valid run keeps its colour.
        foreach ($this->ordered() as $finding) {
            $lines[] = new Line(
                $finding->variant->label(),
                array_map(
                    static fn (array $point): array => [round($point[0], 3), $point[1]],
                    self::middle($finding)->depth ?? [],
                ),
            );
        }

        return array_filter($lines, static fn (Line $line): bool => $line->points !== []) === [] ? [] : [new LineChart(
            "{$this->scenario->value}-depth",
            'Depth of the queue',
            'The run with the median rate, sampled twice a second. It does not decide the time of a run:'
                .' a run ends with the record of its last job.',
            Unit::Seconds,
            Unit::Count,
            $lines,
        )];
    }

    /** @return list<Finding> in the order of the table */
    private function ordered(): array
    {
        return array_merge([], ...array_values($this->findings->byDurability()));
    }

    /** The valid run whose rate is nearest to the median. */
    private static function middle(Finding $finding): ?Outcome
    {
        $valid = $finding->valid();
        $median = $valid === []
            ? 0.0
            : (new Samples(array_map(static fn (Outcome $outcome): float => $outcome->perSecond(), $valid)))->median();
        usort(
            $valid,
            static fn (Outcome $a, Outcome $b): int => abs($a->perSecond() - $median)
                <=> abs($b->perSecond() - $median),
        );

        return $valid[0] ?? null;
    }

    /** @return list<string> */
    private function notes(): array
    {
        $notes = $this->scenario->isAboutFates() ? (new SlowJobs($this->findings))->words() : [];

        foreach ($this->findings->all as $finding) {
            $why = (new SpreadExplanation($finding))->words();
            $why === '' ? null : $notes[] = "{$finding->variant->name} has a wide spread: {$why}.";
            array_push($notes, ...$finding->notes($this->scenario->isAboutFates()));
        }

        return array_values(array_unique($notes));
    }
}
