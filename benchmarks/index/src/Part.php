<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;

/**
 * A part of an experiment that was measured.
 */
final readonly class Part
{
    public function __construct(
        public string $name,
        public Machine $machine,
        public Piece $figures,
        public Piece $result,
    ) {}
}
