<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

/**
 * All values that a text with variables can have. What only a request tells is a hole in a value.
 *
 * @internal
 */
final readonly class PossibleValues
{
    /** No value of nginx has this byte. */
    private const HOLE = "\0";

    /** More than these are no list that a check could go through. */
    private const MOST = 1000;

    /**
     * @param array<string, true> $texts
     * @param array<string, true> $reasons why some have holes
     */
    private function __construct(private array $texts, private array $reasons = []) {}

    public static function text(string $text): self
    {
        return new self(["={$text}" => true]);
    }

    public static function unknown(string $reason): self
    {
        return new self(['='.self::HOLE => true], [$reason => true]);
    }

    public static function none(): self
    {
        return new self([]);
    }

    public function or(self $other): self
    {
        $texts = $this->texts + $other->texts;

        return count($texts) > self::MOST ? self::tooMany() : new self($texts, $this->reasons + $other->reasons);
    }

    /** Each of them with each of those behind it. */
    public function then(self $next): self
    {
        if (count($this->texts) * count($next->texts) > self::MOST) {
            return self::tooMany();
        }

        $texts = [];

        foreach ($this->all() as $text) {
            foreach ($next->all() as $more) {
                $texts["={$text}{$more}"] = true;
            }
        }

        return new self($texts, $this->reasons + $next->reasons);
    }

    /** @return list<string> those without a hole */
    public function known(): array
    {
        return array_values(
            array_filter($this->all(), static fn (string $text): bool => ! str_contains($text, self::HOLE)),
        );
    }

    /** @return ?string why there may be others; null where all are known */
    public function reason(): ?string
    {
        return $this->reasons === [] ? null : implode('; ', array_map(strval(...), array_keys($this->reasons)));
    }

    /** Whether one with a hole can be that text. nginx compares names of upstreams without regard to case. */
    public function maybe(string $text): bool
    {
        foreach ($this->open() as $open) {
            $pieces = array_map(
                static fn (string $piece): string => preg_quote($piece, '~'),
                explode(self::HOLE, $open),
            );

            if (preg_match('~\A'.implode('.*', $pieces).'\z~is', $text) === 1) {
                return true;
            }
        }

        return false;
    }

    /** @return list<string> how those with a hole begin */
    public function beginnings(): array
    {
        return array_map(
            static fn (string $open): string => substr($open, 0, strcspn($open, self::HOLE)),
            $this->open(),
        );
    }

    public function equals(self $other): bool
    {
        return $this->texts === $other->texts;
    }

    private static function tooMany(): self
    {
        return self::unknown('it has more than '.self::MOST.' values');
    }

    /** @return list<string> */
    private function open(): array
    {
        return array_values(
            array_filter($this->all(), static fn (string $text): bool => str_contains($text, self::HOLE)),
        );
    }

    /** @return list<string> */
    private function all(): array
    {
        // PHP would make numbers of keys that look like some.
        return array_map(static fn (string $key): string => substr($key, 1), array_keys($this->texts));
    }
}
