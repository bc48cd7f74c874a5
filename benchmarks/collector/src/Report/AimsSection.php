<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * How many aims were reached, which were not, and what was not measured.
 */
final readonly class AimsSection
{
    public function __construct(private ResultsFile $results) {}

    /** @throws UnableToReadResults */
    public function section(): Section
    {
        $by = ['reached' => [], 'missed' => [], 'not measured' => []];

        foreach (Part::cases() as $part) {
            foreach ($part->rows() as $row) {
                $outcome = $row->outcome($this->results->part($part));
                $row->isAim() && $by[$outcome->value][] = [$part, $row];
            }
        }

        $counted = array_map(
            static fn (string $outcome, array $rows): string => count($rows)." {$outcome}",
            array_keys($by),
            $by,
        );

        return new Section(
            'summary',
            'Aims: '.implode(', ', $counted),
            [...$this->missed($by['missed']), ...$this->notMeasured()],
            match (true) {
                $by['missed'] !== [] => Tone::Alert,
                $by['not measured'] !== [] || $this->results->isQuick => Tone::Plain,
                default => Tone::Good,
            },
        );
    }

    /**
     * @param list<array{Part, Row}> $missed
     * @return list<Block>
     */
    private function missed(array $missed): array
    {
        return $missed === [] ? [] : [new Table(['missed', 'measured'], array_map(fn (array $of): array => [
            new Cell($of[1]->what, $of[0]->title(), link: "#part-{$of[0]->value}"),
            new Cell($of[1]->measured($this->results->part($of[0])), $of[1]->aim(), Tone::Alert),
        ], $missed))];
    }

    /** @return list<Block> */
    private function notMeasured(): array
    {
        $names = array_map(
            static fn (Part $part): string => $part->value,
            array_filter(Part::cases(), fn (Part $part): bool => $this->results->part($part) === null),
        );

        return $names === []
            ? []
            : [new Paragraph('Parts that are not measured in these results: '.implode(', ', $names).'.')];
    }
}
