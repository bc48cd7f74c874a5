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
 * Dates of one column, one per row, as the texts in the log. What is done to all of them at once costs a fraction of
 * what an object for each would.
 *
 * @implements IteratorAggregate<int, Date>
 */
final readonly class Dates implements Countable, IteratorAggregate
{
    /** @param list<string> $texts ordinary ones */
    private function __construct(private array $texts) {}

    /**
     * @param list<string> $texts
     * @return ?self null when they are not all dates of the ordinary form
     */
    public static function parse(array $texts): ?self
    {
        return Date::areOrdinary($texts) ? new self($texts) : null;
    }

    /**
     * One behind the other.
     *
     * @internal
     *
     * @param list<mixed> $parts
     * @return ?self null when one is none
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
     * As Date::sql() writes them.
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

    /** @return list<string> as DateTimeImmutable::format() writes them */
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
