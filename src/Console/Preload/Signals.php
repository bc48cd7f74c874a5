<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

/**
 * A command that is asked to end does so by exit(), so that what it has started and written goes with it.
 *
 * @internal
 */
final readonly class Signals
{
    public static function endTidily(): void
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
