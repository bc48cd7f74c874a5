<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Details;

/**
 * Drawings that are folded away behind a summary, from figures below a pointer. Left out where these were not measured.
 */
final readonly class Fold implements Drawing
{
    /** @param list<Drawing> $drawings */
    public function __construct(private string $summary, private string $pointer, private array $drawings) {}

    public function draw(Figures $figures): array
    {
        $figures = $figures->at($this->pointer);

        return $figures->isMeasured ? [new Details(
            (new Template($this->summary))->words($figures),
            array_merge(...array_map(static fn (Drawing $drawing): array => $drawing->draw($figures), $this->drawings)),
        )] : [];
    }
}
