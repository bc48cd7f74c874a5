<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * Counts calls of functions that Instrumentation has put a call of visit() into.
 */
final class Recorder
{
    /** @var array<string, int> calls by class */
    private static array $calls = [];

    private static int $switches = 0;

    public static function begin(): void
    {
        self::$calls = [];
        self::$switches = 0;
    }

    public static function visit(): void
    {
        $frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
        $class = $frames[1]['class'] ?? '';
        self::$calls[$class] = (self::$calls[$class] ?? 0) + 1;

        foreach (array_slice($frames, 2) as $frame) {
            $caller = $frame['class'] ?? '';

            if (str_starts_with($caller, 'Headroom\\') && ! str_starts_with($caller, 'Headroom\\Tests\\')) {
                self::$switches += $caller === $class ? 0 : 1;

                return;
            }
        }
    }

    public static function walk(): Walk
    {
        return new Walk(self::$calls, self::$switches, get_included_files());
    }
}
