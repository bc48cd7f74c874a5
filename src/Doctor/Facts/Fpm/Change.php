<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

use Headroom\Doctor\Edit;

use function array_keys;
use function explode;
use function file_get_contents;
use function intdiv;
use function max;
use function preg_match;
use function rtrim;

/**
 * Changes of a pool's or the global settings as edits of lines; null where no file of them can be read.
 *
 * @internal
 */
final readonly class Change
{
    /** The line that says it; where a default holds, a new line before the first one of the section. */
    public static function to(Pool $section, string $name, string $value): ?Edit
    {
        $said = self::line($section->setting($name));

        if ($said !== null) {
            return Edit::replace($said[0], $said[1], $said[2], "{$name} = {$value}");
        }

        $first = null;

        foreach (array_keys($section->settings) as $known) {
            $line = self::line($section->setting($known));

            if ($line !== null && ($first === null || $line[1] < $first[1])) {
                $first = $line;
            }
        }

        return $first === null ? null : Edit::insert($first[0], $first[1], "{$name} = {$value}");
    }

    /** The line that says it, taken out. */
    public static function without(Pool $section, string $name): ?Edit
    {
        $said = self::line($section->setting($name));

        return $said === null ? null : Edit::remove(...$said);
    }

    /**
     * That PHP ends a request before nginx gives it up: early enough to be done first, and late enough for what works today.
     *
     * @param int $patience milliseconds that nginx waits
     */
    public static function toEndBefore(Pool $pool, int $patience): ?Edit
    {
        $seconds = max(1, intdiv($patience, 1000));

        return self::to($pool, 'request_terminate_timeout', ($seconds >= 30 ? $seconds - 5 : $seconds).'s');
    }

    /** @return ?array{string, int, string} file, line and what stands there */
    private static function line(?Setting $setting): ?array
    {
        if ($setting === null || preg_match('/\A(\/.*):(\d+)\z/', $setting->origin, $m) !== 1) {
            return null;
        }

        $text = is_file($m[1]) ? @file_get_contents($m[1]) : false;
        $line = $text === false ? null : explode("\n", $text)[(int) $m[2] - 1] ?? null;

        return $line === null ? null : [$m[1], (int) $m[2], rtrim($line, "\r")];
    }
}
