<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Checks of values that their types do not express.
 *
 * @internal
 */
final readonly class Assert
{
    /** Of colors.css; the last is grey. */
    public const COLORS = 9;

    /** @throws InvalidPage */
    public static function id(string $id): void
    {
        preg_match('/\A[a-z0-9-]+\z/', $id) === 1 || throw InvalidPage::id($id);
    }

    /** @throws InvalidPage */
    public static function text(string $text, string $what): void
    {
        trim($text) !== '' || throw InvalidPage::blank($what);
    }

    /**
     * @param list<int|float|null> $values
     * @throws InvalidPage
     */
    public static function finite(array $values, string $where): void
    {
        foreach ($values as $value) {
            $value === null || is_finite($value) || throw InvalidPage::notFinite($where, (float) $value);
        }
    }

    /**
     * @param list<int|float> $values
     * @throws InvalidPage
     */
    public static function ascending(array $values, string $where): void
    {
        self::finite($values, $where);

        foreach ($values as $at => $value) {
            $at === 0
                || $values[$at - 1] <= $value
                || throw InvalidPage::backwards($where, (float) $values[$at - 1], (float) $value);
        }
    }

    /** @throws InvalidPage */
    public static function length(int $seen, int $needed, string $where): void
    {
        $seen === $needed || throw InvalidPage::length($where, $seen, $needed);
    }

    /** @throws InvalidPage */
    public static function color(?int $color): void
    {
        $color === null || ($color >= 0 && $color < self::COLORS) || throw InvalidPage::color($color);
    }
}
