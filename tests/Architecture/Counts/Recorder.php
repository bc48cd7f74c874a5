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

    /** @var array<string, int> calls of another class, by "caller → called" */
    private static array $switches = [];

    public static function begin(): void
    {
        self::$calls = [];
        self::$switches = [];
    }

    public static function visit(): void
    {
        $frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
        // The name of an anonymous class goes on with a NUL and its place.
        $class = explode("\0", $frames[1]['class'] ?? '')[0];
        self::$calls[$class] = (self::$calls[$class] ?? 0) + 1;

        foreach (array_slice($frames, 2) as $frame) {
            $caller = $frame['class'] ?? '';

            if (str_starts_with($caller, 'Headroom\\') && ! str_starts_with($caller, 'Headroom\\Tests\\')) {
                if ($caller !== $class) {
                    self::$switches["{$caller} → {$class}"] = (self::$switches["{$caller} → {$class}"] ?? 0) + 1;
                }

                return;
            }
        }
    }

    public static function walk(): Walk
    {
        return new Walk(self::$calls, self::$switches, get_included_files());
    }
}
