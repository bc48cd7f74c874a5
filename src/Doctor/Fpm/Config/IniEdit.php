<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\Edit;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\ManualChange;

/**
 * An edit of a setting that PHP-FPM reads only at its start and only from the files of php.ini.
 *
 * @internal
 */
final readonly class IniEdit
{
    /** It is read after the files of packages. */
    private const OWN = '99-headroom.ini';

    public static function to(FpmPool $pool, string $name, string $value): Edit|ManualChange
    {
        return self::change($pool, $name, $value)->effectiveAfter($pool->restart());
    }

    private static function change(FpmPool $pool, string $name, string $value): Edit|ManualChange
    {
        $text = "{$name}={$value}";

        try {
            $files = $pool->master->isSeen && ! $pool->master->isElsewhere ? $pool->runtime()->iniFiles : null;
            $setting = $files === null ? [] : IniFiles::linesSetting($files, $name);
        } catch (FactUnavailable $e) {
            return new ManualChange("Put `{$text}` there: {$e->getMessage()}");
        }

        return match (true) {
            $files === null => new ManualChange(
                "Put `{$text}` into the file that sets it now, one of those that `php-fpm -i` lists.",
            ),
            $setting !== [] => self::replaced($setting[count($setting) - 1], $name, $value),
            default => self::added($files, $text),
        };
    }

    /** @param array{string, int, string} $setting file, line number and text */
    private static function replaced(array $setting, string $name, string $value): Edit|ManualChange
    {
        [$file, $line, $seen] = $setting;
        $isPlain = preg_match(
            '/\A(\s*'.preg_quote($name, '/').'\s*=\s*)(?:"[^"]*"|\'[^\']*\'|[^;"\']*?)(\s*(?:;.*)?)\z/',
            $seen,
            $m,
        ) === 1;

        return $isPlain
            ? Edit::replace($file, $line, $seen, "{$m[1]}{$value}{$m[2]}")
            : new ManualChange("Change {$name} in {$file}:{$line} to `{$name}={$value}`.");
    }

    /** @param list<string> $files as PoolRuntime has them */
    private static function added(array $files, string $text): Edit|ManualChange
    {
        $scanned = array_slice($files, 1);
        $php = $files[0] ?? '';

        return match (true) {
            $scanned !== [] => Edit::append(dirname($scanned[count($scanned) - 1]).'/'.self::OWN, $text),
            // At its end a section for one directory or host may be open.
            $php !== '' => Edit::insert($php, 1, $text),
            default => new ManualChange("Put `{$text}` into a php.ini: PHP-FPM has read none."),
        };
    }
}
