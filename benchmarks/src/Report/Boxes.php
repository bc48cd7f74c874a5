<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\BoxPlot;
use Headroom\Report\Page\Reference;

/**
 * A box plot: each sample is a point.
 */
final readonly class Boxes implements Drawing
{
    /**
     * @param array<string, array{0: string, 1?: string, 2?: ?float}> $boxes by name: pointer of the list of samples,
     *     key of the figure in each, and what others have published
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private string $unit,
        private array $boxes,
        private string $published = '',
    ) {}

    public function draw(Figures $figures): array
    {
        $boxes = [];

        foreach ($this->boxes as $name => $box) {
            $samples = [];

            foreach ($figures->entries($box[0]) as $sample) {
                $value = $sample->has('valid') && $sample->number('valid') !== 1.0
                    ? null
                    : $sample->number($box[1] ?? '');
                $samples = $value === null ? $samples : [...$samples, $value];
            }

            $boxes[] = $samples === []
                ? BoxPlot::missing($name, 'no valid run')
                : BoxPlot::ofSamples(
                    $name,
                    $samples,
                    isset($box[2]) ? new Reference($box[2], $this->published) : null,
                );
        }

        return [new BoxChart($this->id, $this->title, $this->note, Template::unit($this->unit), $boxes)];
    }
}
