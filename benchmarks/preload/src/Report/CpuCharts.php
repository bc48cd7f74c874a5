<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Preload\Releases;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Range;
use Headroom\Report\Page\RangeChart;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Unit;

/**
 * What each list does to the CPU time of each page, with its quartiles.
 */
final readonly class CpuCharts
{
    /** They cost more by so much that the lists could not be told apart beside them; the table above has them. */
    private const BESIDE = [Releases::PLAIN, Releases::OPTIMIZED];

    /** Percent that the axis ends at a multiple of. */
    private const STEP = 10;

    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        return new Section('cpu', 'CPU time of a request, by list and page', [
            new Paragraph(
                "Less is better. The dot is the median of the rounds, each against {$this->results->base()->name} in"
                    .' the same round; the bar goes from quartile to quartile. Hollow and dashed:'
                    .' no difference was seen. Grey: how far two pools of the very same thing are apart.',
            ),
            new Columns(array_map($this->chart(...), $this->results->pages())),
        ]);
    }

    private function chart(string $page): RangeChart
    {
        $base = $this->results->base()->costs[$page];

        return new RangeChart(
            'cpu-'.trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($page)), '-'),
            $page,
            Unit::Micros->words($base->micros).' without preloading.',
            Unit::Change,
            array_map(static fn (Measured $measured): Range => self::range($measured, $page), $this->shown()),
            100 * $base->floor,
            $this->axis(),
        );
    }

    private static function range(Measured $measured, string $page): Range
    {
        $cost = $measured->costs[$page] ?? null;

        return match (true) {
            $cost === null => new Range($measured->name, null, 'not measured'),
            $cost->isChanged => new Range($measured->name, null, $cost->words()),
            default => new Range($measured->name, $cost->ratio->percent(), $cost->words(), ! $cost->ratio->isSeen),
        };
    }

    /** @return array{int, int} the same for all pages, so that they can be compared */
    private function axis(): array
    {
        $values = [0];

        foreach ($this->shown() as $measured) {
            foreach ($measured->costs as $cost) {
                $values = [
                    ...$values,
                    ...($cost->isChanged ? [] : $cost->ratio->percent()),
                    100 * $cost->floor,
                    -100 * $cost->floor,
                ];
            }
        }

        return [
            self::STEP * (int) floor(min($values) / self::STEP), self::STEP * (int) ceil(max($values) / self::STEP),
        ];
    }

    /** @return list<Measured> all but the one that they are compared with */
    private function shown(): array
    {
        return array_values(array_filter(
            array_slice($this->results->variants, 1),
            static fn (Measured $measured): bool => ! in_array($measured->name, self::BESIDE, true),
        ));
    }
}
