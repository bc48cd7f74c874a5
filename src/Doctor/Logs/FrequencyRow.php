<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

/**
 * @internal
 */
final readonly class FrequencyRow
{
    /** @param float $share of all that were counted, 0 to 1 */
    public function __construct(public string $name, public int $count, public float $share) {}
}
