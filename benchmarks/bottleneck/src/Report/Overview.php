<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Score;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The whole path at a glance: what users had at each stage, and whether the doctor was right.
 */
final readonly class Overview
{
    private const GREY = 8;

    private Score $score;

    /** @param non-empty-list<array<string, mixed>> $rows of the stages, in their order */
    public function __construct(private array $rows)
    {
        $this->score = new Score($rows);
    }

    public function section(): Section
    {
        return new Section('stages', 'The stages', [
            ...$this->ending(),
            $this->verdict(),
            $this->score(),
            $this->table(),
            Paragraph::note(
                'errors: given up after the limit, or answered with an error; who was given up counts with the limit in'
                    .' mean and p95. Redis clients: the most at once. new/s: connections that Redis took, per second.'
                    .' CPUs busy: of all CPUs of the machine. ✓ and ✗: whether the doctor named what is the matter.',
            ),
            new Columns([
                $this->bars('errors', 'Errors', Unit::Share, 'error_rate', Article::errors(...)),
                $this->bars('means', 'Mean response time', Unit::Millis, 'mean_ms', Article::mean(...)),
            ]),
            Paragraph::note(Article::NOTE),
        ]);
    }

    /** @return list<Paragraph> none when a stage is missing */
    private function ending(): array
    {
        $loads = array_column($this->rows, 'load', 'stage');
        [$first, $last] = array_map(
            static fn (Stage $stage): ?array => $loads[$stage->value] ?? null,
            [Stage::Baseline, Stage::Persistent],
        );

        return $first === null || $last === null ? [] : [Paragraph::lead(sprintf(
            'Errors at the baseline: %s, with %s of the CPUs busy. With persistent connections to Redis: %s.',
            LoadWords::share($first['error_rate'], 2),
            LoadWords::share($first['cpu_share'], 0),
            LoadWords::share($last['error_rate'], 2),
        ))];
    }

    private function verdict(): Paragraph
    {
        $wrong = array_values(array_filter($this->rows, static fn (array $row): bool => ! $row['judged']['right']));

        return $wrong === []
            ? Paragraph::lead('The doctor, which got nothing but the address, was right at every stage.', Tone::Good)
            : Paragraph::lead(
                'The doctor was wrong at: '
                    .implode(
                        ', ',
                        array_map(static fn (array $row): string => Stage::from($row['stage'])->title(), $wrong),
                    )
                    .'.',
                Tone::Alert,
            );
    }

    private function score(): Facts
    {
        $seconds = $this->score->secondsToCause();
        $well = count($this->rows) - $this->score->ill();

        return new Facts([
            ['ill stages that it named', "{$this->score->named()} of {$this->score->ill()}"],
            ['longest until it did', $seconds === null ? '–' : Unit::Seconds->words($seconds)],
            ['false alarms where all was well', "{$this->score->falseAlarms()} of {$well}"],
        ]);
    }

    private function table(): Table
    {
        return new Table(
            ['stage', 'errors', 'mean', 'p95', 'Redis clients', 'new/s', 'CPUs busy', 'the doctor'],
            array_map(static function (array $row): array {
                $stage = Stage::from($row['stage']);
                $load = LoadWords::of($row['load']);
                [$isRight, $words] = [$row['judged']['right'], $row['judged']['words']];

                return [
                    new Cell($stage->title(), link: "#{$stage->value}"),
                    new Cell($load[0], self::theirs(LoadWords::share(Article::errors($stage), 2))),
                    new Cell($load[1], self::theirs(LoadWords::millis(Article::mean($stage)))),
                    ...array_slice($load, 2),
                    new Cell(($isRight ? '✓ ' : '✗ ').$words, '', $isRight ? Tone::Good : Tone::Alert),
                ];
            }, $this->rows),
        );
    }

    private static function theirs(string $figure): string
    {
        return $figure === '–' ? '' : "article {$figure}";
    }

    /** @param callable(Stage): (int|float|null) $article */
    private function bars(string $id, string $title, Unit $unit, string $key, callable $article): Block
    {
        $stages = array_map(static fn (array $row): Stage => Stage::from($row['stage']), $this->rows);

        return new BarChart(
            $id,
            $title,
            '',
            array_map(static fn (Stage $stage): string => $stage->title(), $stages),
            $unit,
            [
                new Bars('here', array_map(static fn (array $row): int|float|null => $row['load'][$key], $this->rows)),
                new Bars(Article::NAME, array_map($article, $stages), self::GREY),
            ],
            isHorizontal: true,
        );
    }
}
