<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

use InvalidArgumentException;

final class InvalidChart extends InvalidArgumentException
{
    public static function value(float $value): self
    {
        return new self('A chart can not show '.(is_finite($value) ? "{$value}: values begin at 0" : 'a value that is no finite number').'.');
    }
}
