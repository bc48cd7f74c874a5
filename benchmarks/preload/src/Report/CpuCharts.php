<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\Range;
use Headroom\Benchmarks\Chart\RangeChart;
use Headroom\Benchmarks\Html;
use Headroom\Benchmarks\Preload\Releases;

/**
 * What each list does to the CPU time of each page, with its quartiles.
 */
final readonly class CpuCharts
{
    /** They cost more by so much that the lists could not be told apart beside them; the table above has them. */
    private const BESIDE = [Releases::PLAIN, Releases::OPTIMIZED];

    public function __construct(private ResultsFile $results) {}

    public function draw(): Html
    {
        return Html::element('section', ['id' => 'cpu'],
            Html::element('h2', [], 'CPU time of a request, by list and page'),
            Html::element('p', [], "Less is better. The dot is the median of the rounds, each against {$this->results->base()->name} in the same round; the bar goes from quartile to quartile. Hollow and dashed: no difference was seen. Grey: how far two pools of the very same thing are apart."),
            Html::element('div', ['class' => 'pair'], ...array_map($this->figure(...), $this->results->pages())),
        );
    }

    private function figure(string $page): Html
    {
        $id = 'cpu-'.trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($page)), '-');
        $base = $this->results->base()->costs[$page];
        $ranges = array_map(static fn (Measured $measured): Range => self::range($measured, $page), $this->shown());
        $words = implode('; ', array_map(static fn (Range $range): string => "{$range->label}: {$range->words}", $ranges));
        $chart = new RangeChart($id, "CPU time of {$page}", "Change of the CPU time per request. {$words}.", $ranges, $this->axis(), 100 * $base->floor, static fn (float $percent): string => $percent === 0.0 ? '0 %' : sprintf('%+g %%', $percent));

        return Html::element('figure', ['id' => "{$id}-figure"], Html::element('figcaption', [], sprintf('%s, %.2f ms without preloading', $page, $base->micros / 1_000)), $chart->draw());
    }

    private static function range(Measured $measured, string $page): Range
    {
        $cost = $measured->costs[$page] ?? null;

        return match (true) {
            $cost === null => new Range($measured->name, null, 'not measured'),
            $cost->isChanged => new Range($measured->name, null, 'another answer'),
            default => new Range($measured->name, $cost->ratio->percent(), "{$cost->words()}, quartiles {$cost->quartiles()}", ! $cost->ratio->isSeen),
        };
    }

    /** The same for all pages, so that they can be compared. */
    private function axis(): Axis
    {
        $values = [];

        foreach ($this->shown() as $measured) {
            foreach ($measured->costs as $cost) {
                $values = [...$values, ...($cost->isChanged ? [] : $cost->ratio->percent()), 100 * $cost->floor, -100 * $cost->floor];
            }
        }

        return Axis::around($values);
    }

    /** @return list<Measured> all but the one that they are compared with */
    private function shown(): array
    {
        return array_values(array_filter(array_slice($this->results->variants, 1), static fn (Measured $measured): bool => ! in_array($measured->name, self::BESIDE, true)));
    }
}
