<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Headroom\Process\UnableToStart;
use Headroom\Support\FileOperation;

/**
 * Starts a program that outlives this process and whose output goes nowhere. PHP waits at its end for a program that it
 * has started, so a shell starts this one.
 *
 * @internal
 */
final readonly class DetachedProcess
{
    private const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

    /**
     * @param list<string> $command
     *
     * @throws UnableToStart
     */
    public static function start(array $command, string $directory): void
    {
        $nothing = ['file', '/dev/null', 'r+'];
        $descriptors = [0 => $nothing, 1 => $nothing, 2 => $nothing];
        // The listening socket of PHP-FPM must close when it is stopped.
        $descriptors += array_fill_keys(SpawnedProcesses::inheritable($descriptors), $nothing);
        $reason = '';
        $process = FileOperation::run(static fn () => proc_open(
            ['/bin/sh', '-c', '"$@" &', 'sh', ...$command],
            $descriptors,
            $pipes,
            $directory,
            // PHP-FPM clears the environment.
            getenv() + ['PATH' => self::PATH],
        ), $reason);

        if ($process === false) {
            throw UnableToStart::process($command[0] ?? '', $reason);
        }

        proc_close($process);
    }
}
