<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use DateTimeImmutable;

/**
 * @internal
 */
final readonly class SupportEnd
{
    /** @param ?DateTimeImmutable $date null if none is announced */
    public function __construct(public string $cycle, public ?DateTimeImmutable $date) {}

    public function words(): string
    {
        return $this->date?->format('Y-m-d') ?? 'not announced';
    }
}
