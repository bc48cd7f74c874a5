<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * Where and when something was measured, and of which code.
 */
final readonly class MeasuredOn
{
    /** @param array<string, string> $ini of the PHP that measured */
    private function __construct(
        public string $cpu,
        public int $cores,
        public int $memoryMegabytes,
        public string $kernel,
        public string $php,
        public array $ini,
        public string $commit,
        public string $date,
    ) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $machine): self
    {
        return new self(
            $machine->text('cpu'),
            $machine->whole('cores', 1),
            $machine->whole('memory_mb', 1),
            $machine->text('kernel'),
            $machine->text('php'),
            $machine->at('ini')->texts(),
            $machine->text('commit'),
            $machine->text('date'),
        );
    }

    public function hardware(): string
    {
        return "{$this->cpu}, {$this->cores} cores";
    }
}
