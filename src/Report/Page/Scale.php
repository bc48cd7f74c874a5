<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * @internal
 */
enum Scale: string
{
    /** From 0, or from below it. */
    case Linear = 'linear';
    /** Powers of ten; 0 is drawn at the beginning of the axis. */
    case Log = 'log';
    /** Logarithmic where the largest value is more than a hundred times the smallest above 0, else linear. */
    case Fitting = 'fitting';

    private const TOO_FAR = 100;

    /**
     * @param list<int|float|null> $values
     * @throws InvalidPage
     */
    public function isLog(array $values, string $where): bool
    {
        $least = min([0, ...array_filter($values, is_numeric(...))]);
        $least >= 0 || $this !== self::Log || throw InvalidPage::notPositive($where, (float) $least);
        $positive = array_filter($values, static fn (int|float|null $value): bool => $value !== null && $value > 0);

        return match ($this) {
            self::Linear => false,
            self::Log => $positive !== [],
            self::Fitting => $least >= 0 && $positive !== [] && max($positive) > self::TOO_FAR * min($positive),
        };
    }
}
