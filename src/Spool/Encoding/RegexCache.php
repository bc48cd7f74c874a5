<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use function strlen;

/**
 * How many patterns are worth their memory. PHP keeps the last 4,096 of them compiled as long as the process lives, each in
 * thirty times the bytes of its text, and neither a memory limit nor a worker's own sees that: columns that are empty
 * now and then, or names that are made up, would be a hundred megabytes and more.
 *
 * @internal
 */
final class RegexCache
{
    private const MOST_BYTES = 262_144;

    private static ?self $ofProcess = null;

    /** @var array<string, true> */
    private array $taken = [];

    private int $bytes = 0;

    /** As PHP has one cache of patterns per process. */
    public static function ofProcess(): self
    {
        return self::$ofProcess ??= new self;
    }

    /** Whether it may be used; once that is so it stays so. */
    public function takes(string $pattern): bool
    {
        if (isset($this->taken[$pattern])) {
            return true;
        }

        if ($this->bytes + strlen($pattern) > self::MOST_BYTES) {
            return false;
        }

        $this->taken[$pattern] = true;
        $this->bytes += strlen($pattern);

        return true;
    }
}
