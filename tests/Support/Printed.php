<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * Waits for what a process prints, wherever. Process::waitUntil() waits in vain for what start() has read already: the
 * first word of a program that was quicker than the test.
 */
final class Printed
{
    private const SECONDS = 60;

    public static function by(Process $process, string $text, int $times = 1): void
    {
        $until = microtime(true) + self::SECONDS;

        do {
            // Asked first: what it printed before it ended is there then.
            $isRunning = $process->isRunning();

            $printed = $process->getOutput().$process->getErrorOutput();

            if (substr_count($printed, $text) >= $times) {
                return;
            }

            usleep(2_000);
        } while ($isRunning && microtime(true) < $until);

        Assert::fail(
            ($isRunning ? 'In '.self::SECONDS.' s' : 'Before it ended')." it has not printed '{$text}': {$printed}",
        );
    }
}
