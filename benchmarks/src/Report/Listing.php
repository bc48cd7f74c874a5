<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\BulletList;

/**
 * A bullet for each entry of a list.
 */
final readonly class Listing implements Drawing
{
    public function __construct(private string $pointer, private string $template) {}

    public function draw(Figures $figures): array
    {
        $lines = array_map((new Template($this->template))->words(...), $figures->entries($this->pointer));

        return $lines === [] ? [] : [new BulletList(array_values($lines))];
    }
}
