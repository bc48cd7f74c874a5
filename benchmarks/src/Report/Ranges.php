<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\QuartileRange;
use Headroom\Report\Page\RangeChart;
use Headroom\Report\Page\Unit;

/**
 * Ratios with their quartiles, as differences in percent.
 */
final readonly class Ranges implements Drawing
{
    /**
     * @param string $floor pointer of the share that two measurements of the same thing differ by
     * @param array<string, string> $ranges pointers by name
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private string $floor,
        private array $ranges,
    ) {}

    public function draw(Figures $figures): array
    {
        $ranges = [];

        foreach ($this->ranges as $name => $pointer) {
            $at = $figures->at($pointer);
            $change = $at->isMeasured ? Quantity::of($at)->change() : null;
            $ranges[] = match (true) {
                $change === null => new QuartileRange($name, null, 'not measured'),
                $change->value === null || $change->low === null || $change->high === null =>
                    new QuartileRange($name, null, $change->instead),
                default => new QuartileRange(
                    $name,
                    [$change->low, $change->value, $change->high],
                    $change->words(Unit::Change),
                    ! $change->isSeen,
                ),
            };
        }

        return [new RangeChart(
            $this->id,
            $this->title,
            (new Template($this->note))->words($figures),
            Unit::Change,
            $ranges,
            100 * (float) $figures->number($this->floor),
        )];
    }
}
