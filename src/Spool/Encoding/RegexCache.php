<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use function strlen;

/**
 * Limits how many bytes of patterns a process gives to PCRE. PHP keeps the last 4,096 patterns compiled for the life of
 * the process, and each takes thirty times the bytes of its text. That memory counts towards no limit: memory_limit and
 * the worker's own limit do not see it. Columns that are sometimes null, or generated column names, would use more than
 * a hundred megabytes.
 *
 * @internal
 */
final class RegexCache
{
    private const MAX_BYTES = 262_144;

    private static ?self $ofProcess = null;

    /** @var array<string, true> */
    private array $admitted = [];

    private int $bytes = 0;

    /** One instance per process, because PHP has one cache of patterns per process. */
    public static function ofProcess(): self
    {
        return self::$ofProcess ??= new self;
    }

    /** Whether the pattern may be used. A pattern that was admitted once stays admitted. */
    public function admits(string $pattern): bool
    {
        if (isset($this->admitted[$pattern])) {
            return true;
        }

        if ($this->bytes + strlen($pattern) > self::MAX_BYTES) {
            return false;
        }

        $this->admitted[$pattern] = true;
        $this->bytes += strlen($pattern);

        return true;
    }
}
