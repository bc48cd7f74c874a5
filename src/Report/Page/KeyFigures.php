<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Values that stand for themselves, each with its name above it. Large for results, small for the machine and settings.
 *
 * @internal
 */
final readonly class KeyFigures implements Block
{
    /** @param list<array{string, string}> $facts name and value */
    public function __construct(private array $facts, private bool $isSmall = false) {}

    public function toArray(): array
    {
        return ['kind' => 'facts', 'facts' => $this->facts, 'small' => $this->isSmall];
    }
}
