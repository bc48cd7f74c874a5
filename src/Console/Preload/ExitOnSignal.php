<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

/**
 * Ends a command by exit() at a signal, so that shutdown handlers stop its processes and remove its files.
 *
 * @internal
 */
final readonly class ExitOnSignal
{
    public static function install(): void
    {
        if (! function_exists('pcntl_async_signals')) {
            return;
        }

        pcntl_async_signals(true);

        foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
            pcntl_signal($signal, static fn () => exit(128 + $signal));
        }
    }
}
