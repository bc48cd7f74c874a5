<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Headroom\Bench\Interrupted;
use Headroom\Bench\InterruptHandler;
use Throwable;

/**
 * A signal ends a benchmark by an exception, so that its processes and files are removed.
 */
final readonly class Signals
{
    public static function endTidily(): void
    {
        $interrupts = new InterruptHandler(self::log(...));

        foreach (InterruptHandler::signals() as $signal) {
            pcntl_async_signals(true);
            pcntl_signal($signal, $interrupts->handle(...));
        }

        set_exception_handler(static function (Throwable $e): never {
            // PHP prints any other exception as usual.
            $end = Interrupted::within($e) ?? throw $e;
            self::log($end->getMessage());

            exit(128 + $end->signal);
        });
    }

    private static function log(string $words): void
    {
        fwrite(STDERR, $words."\n");
    }
}
