<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use DateTimeImmutable;

/**
 * A release cycle of a product, such as PHP 8.3, and the end of its security fixes.
 *
 * @internal
 */
final readonly class ReleaseCycle
{
    /** @param ?DateTimeImmutable $date null if none is announced */
    public function __construct(public string $cycle, public ?DateTimeImmutable $date) {}

    public function words(): string
    {
        return $this->date?->format('Y-m-d') ?? 'not announced';
    }
}
