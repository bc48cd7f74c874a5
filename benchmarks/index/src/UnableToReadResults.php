<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use RuntimeException;

final class UnableToReadResults extends RuntimeException
{
    public static function notOurs(string $file, string $experiment): self
    {
        return new self("{$file} is not what the experiment '{$experiment}' writes: a JSON document that names it and has its parts is expected. Measure once more.");
    }

    /** @param string $where file and path in it */
    public static function missing(string $where, string $kind): self
    {
        return new self("{$where} is no {$kind}. The file is not what this commit's benchmark writes: measure once more.");
    }
}
