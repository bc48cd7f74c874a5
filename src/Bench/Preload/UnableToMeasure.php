<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * @internal
 */
final class UnableToMeasure extends RuntimeException implements HeadroomException
{
    public static function noComposer(): self
    {
        return new self(
            'The program composer was not found, so there is no authoritative class map to compare with. Install it.',
        );
    }

    public static function composerFailed(string $output): self
    {
        return new self("composer dump-autoload failed: {$output}");
    }

    public static function noPage(): self
    {
        return new self(
            'No page answers a GET with a status below 400. Name pages that do with --urls=FILE.',
        );
    }

    public static function noCpuTime(string $file): self
    {
        return new self(
            "{$file} does not report the CPU time of a worker. Run this on Linux with CONFIG_SCHED_INFO, as root or as"
                ." the worker's user.",
        );
    }

    public static function noMemory(string $file): self
    {
        return new self(
            "{$file} does not report the memory of a worker. Run this on Linux 4.14 or later, as root or as the"
                ." worker's user.",
        );
    }

    public static function workerReplaced(string $variant, string $page, string $log): self
    {
        return new self(
            "The worker of '{$variant}' ended while it answered {$page}, so its CPU time is unknown."
                ." Its log ends with:\n{$log}",
        );
    }

    public static function noStatus(string $variant, string $answer): self
    {
        return new self(
            "The pool of '{$variant}' does not report the state of its opcache: opcache is not loaded,"
                ." or opcache.restrict_api forbids it. It answered: {$answer}",
        );
    }

    public static function noAnswer(string $variant, string $page, int $seconds, string $log): self
    {
        return new self(
            "{$page} had no answer within {$seconds} s in '{$variant}', so it has no rate."
                ." Its log ends with:\n{$log}",
        );
    }

    public static function failed(string $variant, string $page, int $status): self
    {
        return new self(
            "{$page} answers with {$status} in '{$variant}', the base of the comparison. Fix the page first.",
        );
    }
}
