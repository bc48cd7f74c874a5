<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\PageFile;
use Headroom\Report\Page\Page as Document;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    private function __construct(private ResultsFile $results) {}

    /** @throws UnableToReadResults */
    public static function of(string $results): self
    {
        return new self(ResultsFile::read($results));
    }

    /**
     * Makes bottleneck.html of bottleneck.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $results): string
    {
        return PageFile::beside($results, static fn (): string => self::of($results)->html());
    }

    public function html(): string
    {
        return $this->page()->html();
    }

    public function page(): Document
    {
        return new Document('Bottleneck benchmark', $this->what(), [
            ...$this->warnings(),
            ...$this->stages(),
            ...$this->mended(),
            ...(new Given($this->results->machines, $this->results->isQuick))->sections(),
        ]);
    }

    private function what(): string
    {
        $what = 'The path of an article that looked for a bottleneck for four days, on one machine:'
            .' the same load on each stage, and the doctor, which gets nothing but the address.';
        $given = $this->results->given;

        return $given === null ? $what : $what.sprintf(
            ' %s requests of %d users, each given up after %d s. Redis is %s ms away, and a new connection costs it %s'
                .' ms in the mean.',
            number_format($given['samples']),
            $given['users'],
            $given['limit_s'],
            $given['round_trip_ms'],
            $given['connection_ms'],
        );
    }

    /** @return list<Section> */
    private function warnings(): array
    {
        return ! $this->results->isQuick
            ? []
            : [new Section(
                'quick',
                'A quick run',
                [new Paragraph('It shows that everything works; its figures are no results.', Tone::Alert)],
                Tone::Alert,
            )];
    }

    /** @return list<Section> */
    private function stages(): array
    {
        $rows = $this->results->stages;

        if ($rows === []) {
            return [self::missing('stages', 'The stages')];
        }

        return [
            (new Overview($rows))->section(),
            ...array_map(
                static fn (array $row, int $at): Section
                    => (new StageSection($at + 1, Stage::from($row['stage']), $row))->section(),
                $rows,
                array_keys($rows),
            ),
        ];
    }

    /** @return list<Section> */
    private function mended(): array
    {
        $rows = $this->results->mended;

        return $rows === []
            ? [self::missing('fixes', 'The fixes')]
            : array_map(static fn (array $row): Section => (new MendedSection($row))->section(), $rows);
    }

    private static function missing(string $part, string $title): Section
    {
        return new Section(
            $part,
            $title,
            [new Paragraph(
                "{$title} were not measured. `PART={$part} make bench-bottleneck` measures them.",
                Tone::Alert,
            )],
            Tone::Alert,
        );
    }
}
