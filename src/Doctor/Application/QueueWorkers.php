<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\Proc;

/**
 * The running queue workers of this machine, by their command lines.
 *
 * @internal
 */
final readonly class QueueWorkers
{
    private const COMMANDS = ['queue:work', 'queue:listen', 'horizon:work'];

    /** Options with a value that may be the next word: of these commands, of every Artisan command, and of Horizon. */
    private const WITH_VALUE = [
        '--timeout', '--queue', '--name', '--delay', '--backoff', '--max-jobs', '--max-time', '--memory', '--sleep',
        '--rest',
        '--tries', '--env', '--supervisor', '--stop-when-empty-for',
    ];

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

        [$connection, $timeout] = self::options(array_slice($words, $at + 1));

        $artisan = $proc->isElsewhere($pid) === true
            ? ''
            : self::path($words[$at - 1], $proc->workingDirectory($pid));

        return new QueueWorker($pid, $connection, $timeout, $artisan);
    }

    /**
     * Reads options as Symfony does: the value follows an equals sign or is the next word, and the last of two applies.
     *
     * @param list<string> $words
     * @return array{?string, int} the connection, and the timeout of a job in seconds
     */
    public static function options(array $words): array
    {
        $arguments = [];
        $timeout = self::DEFAULT_TIMEOUT;

        for ($at = 0; $at < count($words); $at++) {
            $parts = explode('=', $words[$at], 2);
            [$name, $value] = [$parts[0], $parts[1] ?? null];

            if ($name === '--') {
                $arguments = [...$arguments, ...array_slice($words, $at + 1)];

                break;
            }

            if (! str_starts_with($name, '-')) {
                $arguments[] = $words[$at];

                continue;
            }

            // The command accepts a text that is not a number, and uses 0.
            $value ??= in_array($name, self::WITH_VALUE, true) ? $words[++$at] ?? '' : '';
            $timeout = $name === '--timeout' ? (int) $value : $timeout;
        }

        return [($arguments[0] ?? '') === '' ? null : $arguments[0], $timeout];
    }

    private static function path(string $artisan, ?string $directory): ?string
    {
        $path = str_starts_with($artisan, '/') ? $artisan : ($directory === null ? null : "{$directory}/{$artisan}");

        return $path === null ? null : (string) realpath($path);
    }
}
