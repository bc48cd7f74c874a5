<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Core\HeadroomException;
use RuntimeException;
use Throwable;

/**
 * @internal
 */
final class UnableToBench extends RuntimeException implements HeadroomException
{
    public static function file(string $path): self
    {
        return new self(
            "{$path} could not be opened or locked. It lies in the directory for temporary files,"
                .' which TMPDIR may set.',
        );
    }

    public static function driver(string $variant, string $what, Throwable $said): self
    {
        return new self("{$variant}: {$what} failed: ".trim(WorkerErrors::line($said)), 0, $said);
    }

    /** @param int $seconds that they were waited for */
    public static function workersNotReady(string $variant, int $ready, int $workers, int $seconds, string $log): self
    {
        return new self(
            "{$variant}: {$ready} of {$workers} workers were ready after {$seconds} s. The end of the log of one that"
                ." was not:\n{$log}",
        );
    }

    public static function workerEnded(string $variant, string $log): self
    {
        return new self("{$variant}: a worker ended before it was ready. The end of its log:\n{$log}");
    }

    public static function inUse(string $variant, int $size): self
    {
        return new self(
            "{$variant}: {$size} jobs are in a queue whose name was made for this run, before anything was pushed to"
                .' it. They were left alone. Does the driver have one queue for all names?',
        );
    }

    public static function notEmpty(string $variant, int $size): self
    {
        return new self(
            "{$variant}: {$size} jobs are in the queue that was made for this run, after it was emptied."
                .' Is somebody else pushing to it?',
        );
    }

    public static function notQueued(string $variant, int $size, int $pushed): self
    {
        return new self(
            "{$variant}: {$pushed} jobs were pushed, and {$size} wait, while its workers are held back."
                .' Is another worker taking from all queues of that server?',
        );
    }

    /** @param string $command that Redis has */
    public static function unanswered(string $command): self
    {
        return new self(
            "The server does not answer {$command} as Redis does. Allow the user of this connection that command.",
        );
    }

    /** @param string $missing what is, and what to do */
    public static function package(string $name, string $missing): self
    {
        return new self("'{$name}' can not be measured. {$missing}");
    }

    public static function report(string $path, string $reason): self
    {
        return new self("The report could not be written to {$path}: {$reason}. Name another place with --html.");
    }

    /** @param non-empty-array<string, string> $reasons by scenario */
    public static function nothingMeasured(array $reasons): self
    {
        return new self('Nothing was measured. '.implode(' ', array_map(
            static fn (string $scenario, string $reason): string => "The scenario {$scenario} has no row: {$reason}.",
            array_keys($reasons),
            $reasons,
        )));
    }

    public static function doesNotFit(string $variant, int $jobs, int $bytes, string $need, string $room): self
    {
        return new self(sprintf(
            '%s: %s jobs of %s bytes need some %s of memory, and %s Take fewer jobs (--jobs, --seconds, --deep),'
                .' or --with-servers, which fills a server that is nobody\'s.',
            $variant,
            number_format($jobs),
            number_format($bytes),
            $need,
            $room,
        ));
    }

    public static function memoryUnknown(string $variant, ?Throwable $said = null): self
    {
        return new self(
            "{$variant}: its Redis does not tell how much memory it has (INFO memory), so that nobody knows whether"
                .' jobs push out what the application keeps there. Allow it INFO, or take --with-servers, which fills a'
                ." server that is nobody's."
                .($said === null ? '' : ' It said: '.trim(WorkerErrors::line($said))),
            0,
            $said,
        );
    }
}
