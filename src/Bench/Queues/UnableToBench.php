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
            "{$path} cannot be opened or locked. It is in the directory for temporary files,"
                .' which TMPDIR sets.',
        );
    }

    public static function driver(string $variant, string $what, Throwable $failure): self
    {
        return new self("{$variant}: {$what} failed: ".trim(WorkerErrors::line($failure)), 0, $failure);
    }

    /** @param int $seconds of the wait */
    public static function workersNotReady(string $variant, int $ready, int $workers, int $seconds, string $log): self
    {
        return new self(
            "{$variant}: {$ready} of {$workers} workers were ready after {$seconds} s. The log of one that"
                ." was not ends with:\n{$log}",
        );
    }

    public static function workerEnded(string $variant, string $log): self
    {
        return new self("{$variant}: a worker ended before it was ready. Its log ends with:\n{$log}");
    }

    public static function inUse(string $variant, int $size): self
    {
        return new self(
            "{$variant}: {$size} jobs are in the new queue of this run before any was pushed to"
                .' it, and stay there. Check whether the driver has one queue for all names.',
        );
    }

    public static function notEmpty(string $variant, int $size): self
    {
        return new self(
            "{$variant}: {$size} jobs are in the queue of this run after it was emptied."
                .' Check whether other code pushes to it.',
        );
    }

    public static function notQueued(string $variant, int $size, int $pushed): self
    {
        return new self(
            "{$variant}: {$pushed} jobs were pushed, and {$size} wait before the workers start."
                .' Check whether another worker reads all queues of that server.',
        );
    }

    /** @param string $command of Redis */
    public static function unanswered(string $command): self
    {
        return new self(
            "The server does not answer {$command} as Redis does. Allow the user of this connection that command.",
        );
    }

    /** @param string $missing what is missing, and the next step */
    public static function package(string $name, string $missing): self
    {
        return new self("'{$name}' cannot be measured. {$missing}");
    }

    public static function report(string $path, string $reason): self
    {
        return new self("The report cannot be written to {$path}: {$reason}. Choose another file with --html.");
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
                .' or --with-servers, which uses temporary servers.',
            $variant,
            number_format($jobs),
            number_format($bytes),
            $need,
            $room,
        ));
    }

    public static function memoryUnknown(string $variant, ?Throwable $failure = null): self
    {
        return new self(
            "{$variant}: its Redis does not report its memory (INFO memory), so jobs might evict keys of the"
                .' application. Allow the user INFO, or use temporary servers (--with-servers).'
                .($failure === null ? '' : ' Redis answered: '.trim(WorkerErrors::line($failure))),
            0,
            $failure,
        );
    }
}
