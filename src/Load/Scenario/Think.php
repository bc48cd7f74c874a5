<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

/**
 * How long a user waits after an answer: evenly between two times.
 *
 * @internal
 */
final readonly class Think
{
    private const NANOS = 1_000_000_000;

    /** Seconds. */
    public function __construct(private float $from, private float $to) {}

    public function nanos(): int
    {
        return random_int((int) ($this->from * self::NANOS), (int) ($this->to * self::NANOS));
    }
}
