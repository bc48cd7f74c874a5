<?php

declare(strict_types=1);

namespace Headroom\Core;

use InvalidArgumentException;

/**
 * A position in a bucket's log: the segment, the offset at which a frame begins, and the index of an event in that
 * frame.
 *
 * Each position has one normal form: the index is below the frame's event count, and the position after the last event
 * of a frame is the end of the frame with index 0. In a stream store the first two numbers are the halves of an entry
 * id. The text form has a fixed width of 47 characters, so texts sort as positions do.
 */
final readonly class Position
{
    /**
     * @param int<0, max> $segment
     * @param int<0, max> $offset bytes
     * @param int<0, 65535> $index
     */
    public function __construct(public int $segment, public int $offset, public int $index) {}

    public static function start(): self
    {
        return new self(0, 0, 0);
    }

    public static function fromString(string $text): self
    {
        if (preg_match('/\A(\d{20})-(\d{20})-(\d{5})\z/', $text, $m) !== 1) {
            throw new InvalidArgumentException(
                "Not a position: '{$text}'. A position is 20 digits, 20 digits and 5 digits, joined by '-'.",
            );
        }

        return new self(self::number($m[1], $text), self::number($m[2], $text), self::index($m[3], $text));
    }

    public function compare(self $other): int
    {
        return [$this->segment, $this->offset, $this->index] <=> [$other->segment, $other->offset, $other->index];
    }

    public function equals(self $other): bool
    {
        return $this->compare($other) === 0;
    }

    public function isStart(): bool
    {
        return $this->segment === 0 && $this->offset === 0 && $this->index === 0;
    }

    public function toString(): string
    {
        return sprintf('%020d-%020d-%05d', $this->segment, $this->offset, $this->index);
    }

    /** @return int<0, max> */
    private static function number(string $digits, string $text): int
    {
        // A cast of a larger number saturates, and warns from PHP 8.5 on.
        if (strcmp($digits, sprintf('%020d', PHP_INT_MAX)) > 0) {
            throw new InvalidArgumentException(
                "Not a position: '{$text}'. The number {$digits} is above the limit of ".PHP_INT_MAX.'.',
            );
        }

        return max(0, (int) $digits);
    }

    /** @return int<0, 65535> */
    private static function index(string $digits, string $text): int
    {
        $index = (int) $digits;

        return $index >= 0 && $index <= 65_535
            ? $index
            : throw new InvalidArgumentException(
                "Not a position: '{$text}'. The index {$digits} is above the limit of 65535.",
            );
    }
}
