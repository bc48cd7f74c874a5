<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Interruption;
use Throwable;

/**
 * A benchmark that is asked to end does so by an exception: what it has started and written goes with it.
 */
final readonly class Signals
{
    public static function endTidily(): void
    {
        $interruption = new Interruption(self::say(...));

        foreach (Interruption::signals() as $signal) {
            pcntl_async_signals(true);
            pcntl_signal($signal, $interruption->heed(...));
        }

        set_exception_handler(static function (Throwable $e): never {
            // What is none of ours, PHP tells as it does without this.
            $end = Interrupted::within($e) ?? throw $e;
            self::say($end->getMessage());

            exit(128 + $end->signal);
        });
    }

    private static function say(string $words): void
    {
        fwrite(STDERR, $words."\n");
    }
}
