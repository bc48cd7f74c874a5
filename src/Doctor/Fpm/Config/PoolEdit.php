<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\ManualChange;
use Headroom\Process\ProcessFiles;

/**
 * Edits of the settings of a pool or of the global section.
 *
 * @internal
 */
final readonly class PoolEdit
{
    /** An edit in the section of the pool, with the reload; a new backlog needs a restart. */
    public static function of(FpmPool $pool, string $name, string $value): Edit|ManualChange
    {
        return self::to($pool->settings, $name, $value)
            ->effectiveAfter($name === 'listen.backlog' ? $pool->restart() : $pool->reload());
    }

    /**
     * @param array<string, string> $values by setting
     * @return list<Edit|ManualChange>
     */
    public static function all(FpmPool $pool, array $values): array
    {
        return array_map(
            static fn (string $name, string $value): Edit|ManualChange => self::of($pool, $name, $value),
            array_keys($values),
            array_values($values),
        );
    }

    /** An edit in the section [global]. */
    public static function ofMaster(FpmPool $pool, string $name, string $value): Edit|ManualChange
    {
        return self::to($pool->global, $name, $value)->effectiveAfter($pool->reload());
    }

    /** @return list<Edit|ManualChange> */
    public static function removed(FpmPool $pool, string $name): array
    {
        return array_map(
            static fn (Edit|ManualChange $change): Edit|ManualChange => $change->effectiveAfter($pool->reload()),
            self::without($pool->settings, $name),
        );
    }

    /** Replaces the line of the setting. If a default applies, adds a line before the first one of the section. */
    public static function to(PoolSettings $section, string $name, string $value): Edit|ManualChange
    {
        $text = "{$name} = {$value}";
        $settingLines = self::linesSetting($section, $name);

        if ($settingLines !== []) {
            [$file, $line, $seen] = $settingLines[count($settingLines) - 1];

            return Edit::replace($file, $line, $seen, self::indent($seen).$text.self::comment($seen));
        }

        $origin = $section->setting($name)?->origin;
        $isWritten = preg_match('/:\d+\z/', $origin ?? '') === 1;

        return match (true) {
            $isWritten => new ManualChange("Change {$name} in {$origin} to `{$text}`."),
            default => self::inserted($section, $text),
        };
    }

    /**
     * Removes every line of the setting: without the last one another one would apply.
     *
     * @return non-empty-list<Edit|ManualChange>
     */
    public static function without(PoolSettings $section, string $name): array
    {
        $settingLines = self::linesSetting($section, $name);
        $origin = $section->setting($name)->origin ?? self::where($section);

        return $settingLines === [] ? [new ManualChange("Take {$name} out of {$origin}.")] : array_map(
            static fn (array $line): Edit => Edit::remove(...$line),
            $settingLines,
        );
    }

    private static function inserted(PoolSettings $section, string $text): Edit|ManualChange
    {
        $first = null;

        foreach (array_keys($section->settings) as $known) {
            $line = self::line($section->setting($known)?->origin);
            $first = $line !== null && ($first === null || $line[1] < $first[1]) ? $line : $first;
        }

        if ($first !== null) {
            return Edit::insert($first[0], $first[1], self::indent($first[2]).$text);
        }

        // In a section without settings, the line goes below its name. Lines above all sections are global.
        $isOrigin = preg_match('/\A(\/.*):(\d+)\z/', $section->origin ?? '', $m) === 1;
        $isThere = $isOrigin && self::line("{$m[1]}:".((int) $m[2] + 1)) !== null;

        return $isOrigin && $isThere
            ? Edit::insert($m[1], (int) $m[2] + 1, $text)
            : new ManualChange("Add `{$text}` to ".self::where($section).'.');
    }

    /**
     * The lines that set it, the effective line last, including lines with an environment variable, whose value only
     * PHP-FPM knows.
     *
     * @return list<array{string, int, string}> file, line number and text
     */
    private static function linesSetting(PoolSettings $section, string $name): array
    {
        $pattern = '/\A\s*'.str_replace(
            ['php_admin_value', 'php_value'],
            ['php_admin_(?:value|flag)', 'php_(?:value|flag)'],
            preg_quote($name, '/'),
        ).'\s*=/';
        $holding = self::line($section->setting($name)?->origin);
        $found = [];

        foreach (self::files($section) as $file) {
            $in = 'global';

            foreach (self::lines($file) as $number => $line) {
                $in = preg_match('/\A\s*\[\s*([^]]+?)\s*\]/', $line, $m) === 1 ? strtolower($m[1]) : $in;
                $at = [$file, $number + 1, $line];

                if ($in === strtolower($section->name) && $at !== $holding && preg_match($pattern, $line) === 1) {
                    $found[] = $at;
                }
            }
        }

        return $holding !== null && preg_match($pattern, $holding[2]) === 1 ? [...$found, $holding] : $found;
    }

    /** @return list<string> that settings of the section stand in */
    private static function files(PoolSettings $section): array
    {
        $files = [];

        foreach ([$section->origin, ...array_column($section->settings, 'origin')] as $origin) {
            if (preg_match('/\A(\/.*):\d+\z/', $origin ?? '', $m) === 1) {
                $files[] = $m[1];
            }
        }

        return array_values(array_unique($files));
    }

    /** @return ?array{string, int, string} file, line number and text */
    private static function line(?string $origin): ?array
    {
        if (preg_match('/\A(\/.*):(\d+)\z/', $origin ?? '', $m) !== 1) {
            return null;
        }

        $line = self::lines($m[1])[(int) $m[2] - 1] ?? null;

        return $line === null ? null : [$m[1], (int) $m[2], $line];
    }

    /** @return list<string> */
    private static function lines(string $file): array
    {
        $text = is_file($file) ? ProcessFiles::contents($file) : false;

        return $text === false ? [] : array_map(
            static fn (string $line): string => rtrim($line, "\r"),
            explode("\n", $text),
        );
    }

    private static function where(PoolSettings $section): string
    {
        $origin = $section->origin ?? array_column($section->settings, 'origin')[0] ?? null;

        return "the section [{$section->name}]".match (true) {
            $origin === null => '',
            str_ends_with($origin, ':0') => ', at the top of '.substr($origin, 0, -strlen(':0')),
            preg_match('/:\d+\z/', $origin) === 1 => " ({$origin})",
            default => ", of which {$origin} tells",
        };
    }

    private static function indent(string $line): string
    {
        return preg_match('/\A\s+/', $line, $m) === 1 ? $m[0] : '';
    }

    /** A comment after a value without quotes. */
    private static function comment(string $line): string
    {
        return preg_match('/\A[^"\';]*(\s;.*)\z/', $line, $m) === 1 ? $m[1] : '';
    }
}
