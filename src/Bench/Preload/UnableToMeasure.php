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
            'The program composer was not found, so an authoritative class map could not be made to compare with.',
        );
    }

    public static function composerFailed(string $said): self
    {
        return new self("composer dump-autoload failed: {$said}");
    }

    public static function noPage(): self
    {
        return new self(
            'None of the pages answers below 400 to a GET, so there is nothing to measure. Name some that do:'
                .' --urls=FILE.',
        );
    }

    public static function noCpuTime(string $file): self
    {
        return new self(
            "{$file} does not tell how long a worker was on a CPU. It takes Linux with CONFIG_SCHED_INFO, and root or"
                ." the worker's user.",
        );
    }

    public static function noMemory(string $file): self
    {
        return new self(
            "{$file} does not tell how much memory a worker has. It takes Linux 4.14 or later, and root or the"
                ." worker's user.",
        );
    }

    public static function workerReplaced(string $variant, string $page, string $log): self
    {
        return new self(
            "The worker of '{$variant}' ended while it answered {$page}, so that its CPU time is not known."
                ." Its log ends with:\n{$log}",
        );
    }

    public static function noStatus(string $variant, string $answer): self
    {
        return new self(
            "The pool of '{$variant}' does not tell what its opcache has: opcache is not loaded,"
                ." or opcache.restrict_api forbids it. It answered: {$answer}",
        );
    }

    public static function noAnswer(string $variant, string $page, int $seconds, string $log): self
    {
        return new self(
            "{$page} was not answered once within {$seconds} s in '{$variant}', so that there is no rate."
                ." Its log ends with:\n{$log}",
        );
    }

    public static function failed(string $variant, string $page, int $status): self
    {
        return new self(
            "{$page} answers with {$status} in '{$variant}', with which all others are compared. Fix the page first.",
        );
    }
}
