<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use RuntimeException;

/**
 * The constraints in composer.json.
 */
final readonly class Manifest
{
    public static function constraint(string $section, string $package): string
    {
        $composer = json_decode(Files::read('composer.json'), true, flags: JSON_THROW_ON_ERROR);
        $packages = is_array($composer) ? $composer[$section] ?? null : null;
        $constraint = is_array($packages) ? $packages[$package] ?? null : null;

        return is_string($constraint)
            ? $constraint
            : throw new RuntimeException("composer.json has no {$section} of {$package}.");
    }

    /** @return list<int> such as 11 and 12 of ^11.0 || ^12.0 */
    public static function majors(string $section, string $package): array
    {
        preg_match_all('/\^(\d+)\./', self::constraint($section, $package), $majors);

        return array_map(intval(...), $majors[1]);
    }

    /** The first major that is in conflict, such as 13 of <11.0 || >=13.0. */
    public static function below(string $package): int
    {
        preg_match('/>=(\d+)\.0$/', self::constraint('conflict', $package), $end);

        return (int) ($end[1] ?? 0);
    }
}
