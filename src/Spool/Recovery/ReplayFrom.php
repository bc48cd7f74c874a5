<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * The target of a replay.
 *
 * @internal
 */
final readonly class ReplayFrom
{
    /** @param ?int $since microseconds since the Unix epoch; null unless a time is given */
    private function __construct(public bool $isNow, public ?int $since) {}

    /** The first event on disk. */
    public static function start(): self
    {
        return new self(false, null);
    }

    /** The position that this disk has saved: everything before it is delivered. */
    public static function now(): self
    {
        return new self(true, null);
    }

    /** The first event in the log that was accepted at that time or later. */
    public static function since(int $micros): self
    {
        return new self(false, $micros);
    }
}
