<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Event\Code\Test;
use PHPUnit\Event\Telemetry\HRTime;

/**
 * How long each test took, set-up and tear-down included.
 */
final class SlowestTests
{
    private const SHOWN = 10;

    /** @var array<string, HRTime> by test id */
    private array $started = [];

    /** @var array<string, float> seconds, by test id */
    private array $seconds = [];

    public function started(Test $test, HRTime $at): void
    {
        $this->started[$test->id()] = $at;
    }

    public function finished(Test $test, HRTime $at): void
    {
        $start = $this->started[$test->id()] ?? null;

        if ($start !== null) {
            $this->seconds[$test->id()] = $at->duration($start)->asFloat();
            unset($this->started[$test->id()]);
        }
    }

    public function table(): string
    {
        $seconds = $this->seconds;
        arsort($seconds);
        $lines = '';

        foreach (array_slice($seconds, 0, self::SHOWN, true) as $id => $took) {
            $lines .= sprintf("  %7.2f s  %s\n", $took, str_replace('Headroom\\Tests\\', '', $id));
        }

        return $lines === '' ? '' : "\n\nSlowest of ".count($seconds)." tests:\n".$lines;
    }
}
