<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Unit;

final readonly class Aim
{
    private function __construct(private ?float $least, private ?float $most) {}

    public static function atLeast(float $value): self
    {
        return new self($value, null);
    }

    public static function atMost(float $value): self
    {
        return new self(null, $value);
    }

    public function isReachedBy(float $value): bool
    {
        return ($this->least === null || $value >= $this->least) && ($this->most === null || $value <= $this->most);
    }

    public function words(Unit $unit): string
    {
        return match (true) {
            $this->least !== null => '≥ '.$unit->words($this->least),
            $this->most === 0.0 => $unit->words(0.0),
            default => '≤ '.$unit->words((float) $this->most),
        };
    }
}
