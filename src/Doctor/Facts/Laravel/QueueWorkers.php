<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Laravel;

use Headroom\Doctor\Facts\Kernel\KernelFiles;
use Headroom\Host\Proc;

use function in_array;
use function str_starts_with;
use function substr;

/**
 * The queue workers that run on this machine, by their command lines.
 *
 * @internal
 */
final readonly class QueueWorkers
{
    private const COMMANDS = ['queue:work', 'queue:listen', 'horizon:work'];

    /** Laravel's own. */
    private const DEFAULT_TIMEOUT = 60;

    /** @param list<QueueWorker> $workers */
    public function __construct(public array $workers) {}

    public static function running(Proc $proc = new Proc): self
    {
        $workers = [];

        foreach ((new KernelFiles)->pids() as $pid) {
            $worker = self::ofCommandLine($pid, $proc->commandLine($pid), $proc);

            if ($worker !== null) {
                $workers[] = $worker;
            }
        }

        return new self($workers);
    }

    /** @param list<string> $words */
    private static function ofCommandLine(int $pid, array $words, Proc $proc): ?QueueWorker
    {
        $at = null;

        foreach ($words as $number => $word) {
            if ($number > 0 && in_array($word, self::COMMANDS, true)) {
                $at = $number;

                break;
            }
        }

        if ($at === null) {
            return null;
        }

        $connection = null;
        $timeout = self::DEFAULT_TIMEOUT;

        foreach (array_slice($words, $at + 1) as $word) {
            if (str_starts_with($word, '--timeout=') && is_numeric(substr($word, 10))) {
                $timeout = (int) substr($word, 10);
            } elseif ($word !== '' && $word[0] !== '-' && $connection === null) {
                $connection = $word;
            }
        }

        return new QueueWorker($pid, $connection, $timeout, $proc->isElsewhere($pid) === true ? '' : self::path($words[$at - 1], $proc->workingDirectory($pid)));
    }

    private static function path(string $artisan, ?string $directory): ?string
    {
        $path = str_starts_with($artisan, '/') ? $artisan : ($directory === null ? null : "{$directory}/{$artisan}");

        return $path === null ? null : (string) realpath($path);
    }
}
