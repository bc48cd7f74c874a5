<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use RuntimeException;

final class UnableToReadResults extends RuntimeException
{
    public static function notThere(string $path): self
    {
        return new self("There is no {$path}. make bench-bottleneck writes it.");
    }

    public static function notOurs(string $path): self
    {
        return new self("{$path} is not what make bench-bottleneck writes: a JSON document with its parts is expected. Measure once more.");
    }
}
