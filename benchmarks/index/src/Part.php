<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

/**
 * A part of an experiment that was measured.
 */
final readonly class Part
{
    public function __construct(public string $name, public Machine $machine, public Figures $figures, public Figures $result) {}
}
