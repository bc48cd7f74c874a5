<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

/**
 * The time that a virtual user waits after a response: uniformly distributed between two limits.
 *
 * @internal
 */
final readonly class ThinkTime
{
    private const NANOS = 1_000_000_000;

    /** Seconds. */
    public function __construct(private float $from, private float $to) {}

    public function nanos(): int
    {
        return random_int((int) ($this->from * self::NANOS), (int) ($this->to * self::NANOS));
    }
}
