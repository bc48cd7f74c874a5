<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Append;

use RuntimeException;

final readonly class Redactor
{
    /**
     * @param array<string, string> $row
     * @return array<string, string>
     */
    public function __invoke(array $row, string $bucket): array
    {
        return array_map(static fn (string $value): string => strtoupper($value)." of {$bucket}", $row);
    }

    /**
     * @param array<string, string> $row
     * @return array<string, string>
     */
    public function lower(array $row): array
    {
        return array_map(strtolower(...), $row);
    }

    /**
     * @param array<string, string> $row
     * @return array<string, string>
     */
    public static function upper(array $row): array
    {
        return array_map(strtoupper(...), $row);
    }

    /** @param array<string, string> $row */
    public static function fail(array $row): never
    {
        throw new RuntimeException("What is this: {$row['password']}?");
    }

    public static function nothing(): null
    {
        return null;
    }
}
