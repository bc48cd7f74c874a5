<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use RuntimeException;

/**
 * A results file that makes no page.
 */
final class UnableToReport extends RuntimeException
{
    public static function because(string $file, string $reason): self
    {
        return new self(
            "{$file} makes no page: ".rtrim($reason, '.').'. Measure the experiment again, or restore the file.',
        );
    }
}
