<?php

declare(strict_types=1);

namespace Headroom\Core;

use Countable;
use Generator;
use IteratorAggregate;

use function array_merge;
use function array_slice;
use function count;
use function str_replace;
use function substr_replace;

/**
 * The dates of one column, one per row, as the texts of the log. String functions on the whole column cost a fraction
 * of an object for each date.
 *
 * @implements IteratorAggregate<int, Date>
 */
final readonly class Dates implements Countable, IteratorAggregate
{
    /** @param list<string> $texts dates in the ordinary format */
    private function __construct(private array $texts) {}

    /**
     * @param list<string> $texts
     * @return ?self null unless all are dates in the ordinary format
     */
    public static function parse(array $texts): ?self
    {
        return Date::areOrdinary($texts) ? new self($texts) : null;
    }

    /**
     * Concatenates columns.
     *
     * @internal
     *
     * @param list<mixed> $parts
     * @return ?self null if a part is not an instance of this class
     */
    public static function join(array $parts): ?self
    {
        $texts = [];

        foreach ($parts as $part) {
            if (! $part instanceof self) {
                return null;
            }

            $texts[] = $part->texts;
        }

        return new self(array_merge(...$texts));
    }

    public function count(): int
    {
        return count($this->texts);
    }

    /**
     * Formats as Date::sql() does.
     *
     * @internal
     *
     * @param int<0, 6> $digits
     * @return list<string>
     */
    public function sql(int $digits): array
    {
        return str_replace('T', ' ', substr_replace($this->texts, '', $digits === 0 ? 19 : 20 + $digits, 32));
    }

    /** @return list<string> formatted as DateTimeImmutable::format() does */
    public function format(string $format): array
    {
        if ($format === Date::SQL) {
            return $this->sql(0);
        }

        $texts = [];

        foreach ($this as $date) {
            $texts[] = $date->format($format);
        }

        return $texts;
    }

    /**
     * @param int<0, max> $from
     * @param int<0, max> $length
     */
    public function slice(int $from, int $length): self
    {
        return new self(array_slice($this->texts, $from, $length));
    }

    /** @return Generator<int, Date> */
    public function getIterator(): Generator
    {
        foreach ($this->texts as $number => $text) {
            yield $number => Date::ofOrdinary($text);
        }
    }
}
