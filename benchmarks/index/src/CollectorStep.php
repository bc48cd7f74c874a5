<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * So many users at one stack.
 */
final readonly class CollectorStep
{
    /** @param ?float $p50 milliseconds; null where nobody was answered */
    private function __construct(
        public int $users,
        public ?float $p50,
        private float $rate,
        private ?float $p95,
        private float $refused,
    ) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $step): self
    {
        $rate = $step->number('requests_per_second');
        $isAnswered = $rate > 0.0;

        return new self(
            $step->whole('users', 1),
            $isAnswered ? $step->number('p50_ms') : null,
            $rate,
            $isAnswered ? $step->number('p95_ms') : null,
            $step->number('refused') + $step->number('broken'),
        );
    }

    public function words(): string
    {
        return $this->p50 === null
            ? 'nobody answered'.($this->refused > 0.0 ? ', '.Unit::Count->words($this->refused).' refused' : '')
            : Unit::Millis->words($this->p50);
    }

    public function cell(): Cell
    {
        return $this->p50 === null
            ? new Cell('nobody answered', Unit::Count->words($this->refused).' refused', Tone::Alert)
            : new Cell(
                Unit::Millis->words($this->p50),
                'p95 '.Unit::Millis->words($this->p95).', '.Unit::PerSecond->words($this->rate)
                    .($this->refused > 0.0 ? ', '.Unit::Count->words($this->refused).' refused' : ''),
            );
    }
}
