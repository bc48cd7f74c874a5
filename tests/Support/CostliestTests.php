<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Event\Code\Test;

/**
 * The tests that cost the most CPU seconds, set-up, tear-down and ended child processes included.
 */
final class CostliestTests
{
    private const SHOWN = 10;

    /** @var array<string, array{float, float}> CPU and clock at the start, in seconds, by test id */
    private array $started = [];

    /** @var array<string, array{float, float}> CPU seconds and seconds, by test id */
    private array $costs = [];

    public function started(Test $test): void
    {
        $this->started[$test->id()] = [self::cpuSeconds(), hrtime(true) / 1e9];
    }

    public function finished(Test $test): void
    {
        $start = $this->started[$test->id()] ?? null;

        if ($start !== null) {
            $this->costs[$test->id()] = [self::cpuSeconds() - $start[0], hrtime(true) / 1e9 - $start[1]];
            unset($this->started[$test->id()]);
        }
    }

    public function table(?int $shown = self::SHOWN): string
    {
        $costs = $this->costs;
        arsort($costs);
        $lines = '';

        foreach (array_slice($costs, 0, $shown, true) as $id => [$cpu, $wall]) {
            $lines .= sprintf("  %7.2f %7.2f  %s\n", $cpu, $wall, str_replace('Headroom\\Tests\\', '', $id));
        }

        return $lines === '' ? '' : "\n\nCPU seconds and seconds of the costliest of ".count($costs)." tests:\n".$lines;
    }

    /** User and system time of this process and of its children that have ended. */
    private static function cpuSeconds(): float
    {
        $seconds = 0.0;

        // 1: RUSAGE_CHILDREN
        foreach ([getrusage(), getrusage(1)] as $usage) {
            if ($usage !== false) {
                $seconds += $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'] + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
            }
        }

        return $seconds;
    }
}
