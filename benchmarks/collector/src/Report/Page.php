<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\PageFile;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Page as ReportPage;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    private const WHAT = 'Stack X, four workers of the collector behind nginx, against stack A, nginx and PHP-FPM with'
        .' 16 workers and scripts without a framework. Three scenarios, users from 100 to 1,000, each with a request a'
        .' second; then what the collector promises, part by part.';

    public function __construct(private ResultsFile $results) {}

    /**
     * Makes collector.html of collector.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $results): string
    {
        return PageFile::beside($results, static fn (): string => (new self(ResultsFile::read($results)))->html());
    }

    /** @throws UnableToReadResults */
    public function html(): string
    {
        return $this->page()->html();
    }

    /** @throws UnableToReadResults */
    public function page(): ReportPage
    {
        $scenarios = array_map(
            fn (Scenario $scenario): ScenarioSection => ScenarioSection::of($scenario, $this->results),
            Scenario::cases(),
        );
        $parts = array_filter(Part::cases(), static fn (Part $part): bool => $part->rows() !== []);

        return new ReportPage('Collector benchmark', self::WHAT, [
            ...$this->warning(),
            (new AimsSection($this->results))->section(),
            ...(new EndSection($scenarios))->sections(),
            ...array_map(static fn (ScenarioSection $scenario): Section => $scenario->section(), $scenarios),
            $this->howToRead(),
            ...array_map(
                fn (Part $part): Section => (new PartSection($part, $this->results->part($part)))->section(),
                array_values($parts),
            ),
            (new MachinesSection($this->results))->section(),
            $this->again(),
        ]);
    }

    /** @return list<Section> */
    private function warning(): array
    {
        return $this->results->isQuick ? [new Section(
            'quick',
            'A quick run',
            [new Paragraph(
                'Its rounds are few and short. It shows that everything works; its figures are no results.',
            )],
            Tone::Alert,
        )] : [];
    }

    private function howToRead(): Section
    {
        $figures = $this->results->part(Part::Figures);

        return new Section('reading', 'How to read it', [
            new BulletList([
                'The bands of a chart are its steps, with their users above them and seconds below.'
                    .' A point is a whole step and stands in its middle. One stack is measured after the other,'
                    .' on the same machine, which the client shares.',
                'A user pauses for a second on average, asks, and waits for the answer; whoever waits longer asks'
                    .' less often.',
                'A cross is a step with errors: refusals, connections that broke, requests without an answer within 60'
                    .' s. Refusals are not among the requests/s.',
                'Response times are those of the answers that came before the end of their step:'
                    .' who still waits then is not in them, so that an overloaded stack looks better than it is.'
                    .' A refusal counts as an answer; where half of the answers or more are refusals there is no time,'
                    .' and a gap in the line.',
                'In the tables below, a figure with a spread is the median of so many rounds;'
                    .' the spread is the interquartile range as a share of it. A difference smaller than its'
                    .' spread is none.',
            ]),
            ...($figures === null ? [] : [Paragraph::note("The charts: {$figures->origin()}.")]),
        ]);
    }

    private function again(): Section
    {
        return new Section('again', 'How to repeat it', [
            new Code('make bench-collector'),
            Paragraph::note(
                "This page was made of {$this->results->name} by `php benchmarks/collector/report.php`, which measures"
                    .' nothing. What is measured, and how: `benchmarks/collector/README.md`.',
            ),
        ]);
    }
}
