<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * Where an operator wants the cursor.
 *
 * @internal
 */
final readonly class ReplayFrom
{
    /** @param ?int $since microseconds since the Unix epoch; null unless a time was asked for */
    private function __construct(public bool $isNow, public ?int $since) {}

    /** Everything that is on disk. */
    public static function start(): self
    {
        return new self(false, null);
    }

    /** What was not delivered yet as far as this disk knows. */
    public static function now(): self
    {
        return new self(true, null);
    }

    /** From the first event in the log on that was accepted at that time or later. */
    public static function since(int $micros): self
    {
        return new self(false, $micros);
    }
}
