<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use RuntimeException;

final class UnableToReadResults extends RuntimeException
{
    public static function notThere(string $path): self
    {
        return new self("There is no {$path}. make bench-preload writes it.");
    }

    public static function notOurs(string $path): self
    {
        return new self("{$path} is not what make bench-preload writes: a JSON document with the part 'strategies' is expected. Measure once more.");
    }

    public static function missing(string $where, string $kind): self
    {
        return new self("{$where} in the results is no {$kind}. They are not what make bench-preload of this commit writes: measure once more.");
    }
}
