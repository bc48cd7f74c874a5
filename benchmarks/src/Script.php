<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Closure;
use Headroom\Bench\Interrupted;
use RuntimeException;

/**
 * For the scripts of benchmarks/: a failure prints a line and no trace.
 */
final readonly class Script
{
    /**
     * @template Made
     * @param Closure(): Made $what
     * @return Made
     */
    public static function orEnd(Closure $what): mixed
    {
        try {
            return $what();
        } catch (RuntimeException $failure) {
            // Signals prints it.
            Interrupted::within($failure) === null || throw $failure;
            fwrite(STDERR, $failure->getMessage()."\n");
            exit(1);
        }
    }
}
