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
            "{$concurrency} connections need {$needed} open files, and this process may have {$limit}."
                ." Allow more before the run: ulimit -n {$needed}",
        );
    }

    public static function tooManyConnections(int $concurrency, int $most): self
    {
        return new self(
            "One process cannot wait for {$concurrency} connections at once, as PHP's stream_select() sees no more than"
                ." 1,024 open files: {$most} are left for connections. Use fewer, or several processes (headroom load"
                .' --processes='.Generator::fewestProcesses($concurrency)
                .').',
        );
    }

    public static function notWritten(string $path, string $reason = ''): self
    {
        return new self(
            "'{$path}' could not be written whole".($reason === '' ? '' : ": {$reason}")
                .'. The result is what is printed; make room or name another file, and run it again.',
        );
    }

    public static function noTimes(): self
    {
        return new self(
            'The plan begins requests when the source says, and the source tells no times. Give it one that implements'
                .' DueTimes, or another plan.',
        );
    }

    public static function notStarted(string $event): self
    {
        return new self("{$event} Nothing was sent. Use fewer --processes.");
    }

    public static function lostBefore(string $what): self
    {
        return new self("{$what} before it could begin. Nothing was sent. Look at what it printed, and run it again.");
    }

    public static function stoppedBefore(): self
    {
        return new self('It was stopped before it began. Nothing was sent.');
    }

    public static function garbled(): self
    {
        return new self(
            'What a process of this run said was not understood. All of them have to run the same version:'
                .' run it again when no deploy is under way.',
        );
    }

    public static function inProcess(int $number, string $message): self
    {
        return new self("Process {$number} of this run could not begin: {$message}");
    }
}
