<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Process\ProcessFiles;

/**
 * Reads FPM's configuration from its files in FPM's order, each value with its line. A line that is not understood is
 * reported.
 *
 * @internal
 */
final class FpmConfigFiles
{
    private const MOST_BYTES = 16_777_216;

    // fpm_conf.c counts the main file too.
    private const DEPTH = 5;

    private const GLOBAL = 'global';

    /** @var array<string, PoolSettings> by lower case: FPM compares pools' names without regard to case */
    private array $sections;

    /** @var list<FpmParseIssue> */
    private array $misreads = [];

    private string $section = '';

    /**
     * @param ?ProcessFiles $files as the process sees them; null: as this process sees them
     * @param ?string $prefix of relative paths: php-fpm's -p, or the one it was built with
     */
    private function __construct(private readonly ?ProcessFiles $files, private readonly ?string $prefix, string $path)
    {
        $this->sections = ['' => new PoolSettings(self::GLOBAL, [], "{$path}:0")];
    }

    /** @throws FactUnavailable if the main file cannot be read; an included file is a parse issue */
    public static function read(string $path, ?ProcessFiles $files = null, ?string $prefix = null): FpmConfig
    {
        $reader = new self($files, $prefix, $path);
        $reason = $reader->file($path, 1);

        if ($reason !== null) {
            throw UnreadableConfig::file($path, $reason);
        }

        $pools = [];

        foreach (array_slice($reader->sections, 1) as $pool) {
            $pools[$pool->name] = $pool->below($pool->text('prefix') ?? $prefix);
        }

        return new FpmConfig($reader->sections['']->below($prefix), $pools, $reader->misreads, false);
    }

    /** @return ?string why it could not be read */
    private function file(string $path, int $depth): ?string
    {
        // Reading a pipe would wait forever.
        $reason = file_exists($path) && ! is_file($path)
            ? (is_dir($path) ? 'it is a directory' : 'it is not a file')
            : (is_file($path) && filesize($path) > self::MOST_BYTES
                ? 'it is larger than '.self::MOST_BYTES.' bytes'
                : '');
        $text = $reason !== '' ? false : ProcessFiles::contents($path, $reason);

        if ($text === false) {
            return $reason;
        }

        foreach (explode("\n", $text) as $index => $line) {
            $this->line(IniLine::read($line), $path, $index + 1, $depth);
        }

        return null;
    }

    private function line(IniLine $line, string $path, int $number, int $depth): void
    {
        if ($line->fault !== null) {
            $this->misreads[] = new FpmParseIssue($path, $number, $line->token, $line->fault, true);
        } elseif ($line->section !== null) {
            $this->enter($line->section, "{$path}:{$number}");
        } elseif ($line->name === 'include') {
            $this->include($line->value, $path, $number, $depth);
        } elseif ($line->name !== null) {
            $this->take(new PhpSetting($line->name, $line->value, "{$path}:{$number}"), $path, $number);
        }
    }

    private function enter(string $name, string $origin): void
    {
        $this->section = strtolower($name) === self::GLOBAL ? '' : strtolower($name);
        $known = $this->sections[$this->section] ?? new PoolSettings($name, []);
        $isFirst = $known->origin === null || str_ends_with($known->origin, ':0');
        $this->sections[$this->section] = $isFirst ? new PoolSettings($known->name, $known->settings, $origin) : $known;
    }

    private function take(PhpSetting $setting, string $path, int $number): void
    {
        $pool = $this->sections[$this->section];

        $expanded = str_replace('$pool', $pool->name, $setting->value);
        $setting = new PhpSetting(
            $setting->name,
            $this->section === '' ? $setting->value : $expanded,
            $setting->origin,
        );

        if ($pool->contradicts($setting->name, $setting->value)) {
            $first = $pool->setting($setting->name)?->origin;
            $this->misreads[] = new FpmParseIssue($path, $number, $setting->name, "it has another value in {$first}");
            $isList = str_ends_with($setting->name, '[]');
            $this->sections[$this->section] = $isList ? $pool->with($setting) : $pool->withoutEffect($setting);

            return;
        }

        $this->sections[$this->section] = $pool->with($setting);
    }

    private static function isListable(string $directory): bool
    {
        while (! file_exists($directory) && $directory !== dirname($directory)) {
            $directory = dirname($directory);
        }

        return is_readable($directory) && is_executable($directory);
    }

    /** Lines after an include belong to the last section of the included file: FPM keeps only one section open. */
    private function include(string $pattern, string $path, int $number, int $depth): void
    {
        $isAbsolute = str_starts_with($pattern, '/');

        if (! $isAbsolute && $this->prefix === null) {
            $this->misreads[] = new FpmParseIssue(
                $path,
                $number,
                $pattern,
                'a relative include; the prefix of php-fpm is unknown',
                true,
            );

            return;
        }

        $full = $isAbsolute ? $pattern : "{$this->prefix}/{$pattern}";
        $files = $this->matching($full);

        if ($files === null) {
            $reason = 'this user may not list the files of this include';
            $this->misreads[] = new FpmParseIssue($path, $number, $pattern, $reason, true);

            return;
        }

        if ($files === []) {
            // In a readable directory without a match, PHP-FPM finds no file either.
            $isLost = ! self::isListable(dirname($full));
            $this->misreads[] = new FpmParseIssue(
                $path,
                $number,
                $pattern,
                'no readable file matches this include',
                $isLost,
            );
        }

        foreach ($files as $file) {
            $reason = $depth >= self::DEPTH
                ? 'files include each other more than '.self::DEPTH.' deep'
                : $this->file($file, $depth + 1);

            if ($reason !== null) {
                $this->misreads[] = new FpmParseIssue($path, $number, $file, $reason, true);
            }
        }
    }

    /** @return ?list<string> null where they cannot be seen */
    private function matching(string $pattern): ?array
    {
        if ($this->files !== null) {
            return $this->files->matching($pattern);
        }

        $found = glob($pattern, GLOB_MARK);

        $isFile = static fn (string $path): bool => ! str_ends_with($path, '/');

        return array_values(array_filter($found === false ? [] : $found, $isFile));
    }
}
