<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use RuntimeException;

final class UnableToReadResults extends RuntimeException
{
    public static function missing(string $path): self
    {
        return new self("{$path} is not there. A run writes it: make bench-collector, or QUICK=1 make bench-collector for a short one.");
    }

    public static function notJson(string $path, string $why): self
    {
        return new self("{$path} is not the JSON that a run writes: {$why}.");
    }

    public static function unknownPart(string $part): self
    {
        return new self("The results have a part \"{$part}\", which the report does not know. It is named in benchmarks/collector/src/Report/Part.php.");
    }

    public static function notANumber(string $where): self
    {
        return new self("{$where} in the results is not a number from 0 on.");
    }
}
