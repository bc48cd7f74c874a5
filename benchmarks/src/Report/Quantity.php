<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Unit;

/**
 * A figure with its spread: a number, the median of samples with the least and the most of them, or the ratio of two
 * things measured in turns with its quartiles.
 */
final readonly class Quantity
{
    private function __construct(
        public ?float $value,
        public ?float $low,
        public ?float $high,
        public bool $isSeen,
        public string $instead,
    ) {}

    /** @throws UnableToReport */
    public static function of(Figures $figures): self
    {
        $paired = $figures->has('cpu_ratio') ? $figures->at('cpu_ratio') : $figures;

        return match (true) {
            $figures->has('answers_otherwise') && $figures->number('answers_otherwise') === 1.0 =>
                new self(null, null, null, false, 'another answer'),
            $paired->has('ratio') => new self(
                $paired->number('ratio'),
                $paired->number('p25'),
                $paired->number('p75'),
                ! $figures->has('seen') || $figures->number('seen') === 1.0,
                '',
            ),
            $figures->has('median') => new self(
                $figures->number('median'),
                $figures->number('min'),
                $figures->number('max'),
                true,
                '',
            ),
            default => new self($figures->number(), null, null, true, ''),
        };
    }

    public static function count(int $count): self
    {
        return new self($count, null, null, true, '');
    }

    /** As the difference of a ratio from 1, in percent. */
    public function change(): self
    {
        $percent = static fn (?float $ratio): ?float => $ratio === null ? null : round(100 * ($ratio - 1), 2);

        return new self(
            $percent($this->value),
            $percent($this->low),
            $percent($this->high),
            $this->isSeen,
            $this->instead,
        );
    }

    public function times(float $factor): self
    {
        $scaled = static fn (?float $value): ?float => $value === null ? null : $factor * $value;

        return new self(
            $scaled($this->value),
            $scaled($this->low),
            $scaled($this->high),
            $this->isSeen,
            $this->instead,
        );
    }

    public function words(Unit $unit): string
    {
        return match (true) {
            $this->instead !== '' => $this->instead,
            ! $this->isSeen => 'no difference seen',
            default => $unit->words($this->value),
        };
    }

    public function spread(Unit $unit): string
    {
        return $this->low === null ? '' : "{$unit->words($this->low)} to {$unit->words($this->high)}";
    }
}
