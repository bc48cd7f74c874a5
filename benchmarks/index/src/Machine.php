<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

/**
 * Where and when something was measured, and of which code.
 */
final readonly class Machine
{
    private function __construct(public string $commit, public string $date, public string $words) {}

    /** @throws UnableToReadResults */
    public static function of(Figures $machine): self
    {
        return new self($machine->text('commit'), $machine->text('date'), sprintf(
            '%s, %s cores, %s MB, %s, PHP %s',
            $machine->text('cpu'),
            $machine->text('cores'),
            number_format($machine->number('memory_mb')),
            $machine->text('kernel'),
            $machine->text('php'),
        ));
    }
}
