<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * How much a finding costs, from the worst down.
 */
enum Severity: string
{
    /** Requests fail or hang although there is capacity, or data is lost. */
    case Critical = 'critical';

    /** The first thing to give way under load. */
    case High = 'high';

    /** Costs throughput or hides what is wrong. */
    case Medium = 'medium';

    case Low = 'low';

    /** To know, not to act on without a measurement. */
    case Info = 'info';

    public function isAtLeast(self $other): bool
    {
        return array_search($this, self::cases(), true) <= array_search($other, self::cases(), true);
    }
}
