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
            foreach (is_array($usage) ? ['ru_utime', 'ru_stime'] : [] as $kind) {
                $parts = [$usage["{$kind}.tv_sec"] ?? 0, $usage["{$kind}.tv_usec"] ?? 0];
                $seconds += is_int($parts[0]) && is_int($parts[1]) ? $parts[0] + $parts[1] / 1e6 : 0.0;
            }
        }

        return $seconds;
    }
}
