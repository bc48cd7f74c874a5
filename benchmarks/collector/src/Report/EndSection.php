<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * The last step of each scenario: what the charts come to.
 */
final readonly class EndSection
{
    /** @param list<ScenarioSection> $scenarios */
    public function __construct(private array $scenarios) {}

    /** @return list<Section> none where nothing was measured */
    public function sections(): array
    {
        $rows = array_map(static fn (ScenarioSection $one): array => [
            new Cell($one->scenario->title(), $one->atTheEnd(), link: "#{$one->scenario->value}"),
            ...array_map(static fn (array $steps): Cell => self::cell($steps), array_values($one->steps)),
        ], array_filter($this->scenarios, static fn (ScenarioSection $one): bool => ! $one->isEmpty()));

        return $rows === []
            ? []
            : [new Section('end', 'The three scenarios with the most users', [new Table(
                ['', ...array_values(ScenarioSection::STACKS)],
                array_values($rows),
                'Requests/s, refusals left out, and within what time half of them were answered',
            )])];
    }

    /** @param list<Step> $steps */
    private static function cell(array $steps): Cell
    {
        $last = $steps === [] ? null : $steps[count($steps) - 1];

        return $last === null
            ? new Cell('–', 'not measured', Tone::Quiet)
            : new Cell(
                number_format($last->answers),
                "{$last->half()}, {$last->failed()}",
                $last->errors === 0 ? Tone::Plain : Tone::Alert,
            );
    }
}
