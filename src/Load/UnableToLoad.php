<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Permanent;
use RuntimeException;

final class UnableToLoad extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function tooFewFiles(int $concurrency, int $needed, int $limit): self
    {
        return new self(
            "{$concurrency} connections need {$needed} open files, and the limit of this process is {$limit}."
                ." Raise it before the run: ulimit -n {$needed}",
        );
    }

    /** @param int $processes the least that can have this many */
    public static function tooManyConnections(int $concurrency, int $most, int $processes): self
    {
        return new self(
            "{$concurrency} connections are too many for one process, which can have {$most}:"
                ." PHP's stream_select() accepts"
                ." 1,024 open files. Use fewer, or --processes={$processes}.",
        );
    }

    public static function notWritten(string $path, string $reason = ''): self
    {
        return new self(
            "'{$path}' was not written completely".($reason === '' ? '' : ": {$reason}")
                .'. Free disk space or name another file, and run it again.',
        );
    }

    public static function noArrivalTimes(): self
    {
        return new self(
            'The plan starts requests at the times of the source, and the source has no times. Use a source that'
                .' implements ArrivalTimes, or another plan.',
        );
    }

    public static function notStarted(string $event): self
    {
        return new self("{$event} Nothing was sent. Use fewer --processes.");
    }

    /** @param string $end such as "Process 2 ended with exit code 1" */
    public static function lostBefore(string $end): self
    {
        return new self("{$end} before the first request. Read its output, and repeat the run.");
    }

    public static function stoppedBefore(): self
    {
        return new self('The run was stopped before its first request. Start it again to get a result.');
    }

    public static function garbled(): self
    {
        return new self(
            'A process of this run sent an unknown message. All processes must have the same version: repeat the run'
                .' when no deployment is in progress.',
        );
    }

    public static function inProcess(int $number, string $message): self
    {
        return new self("Process {$number} of this run could not start: {$message}");
    }
}
