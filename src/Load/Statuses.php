<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A list of HTTP statuses of a command line: 404, 500-599, 5xx, or several with commas.
 */
final readonly class Statuses
{
    public const ALLOWED = 'statuses from 100 to 599 such as 404, 500-599 or 5xx, separated by commas';

    private const NONE = 'none';

    private const ONE = '/\A([1-5])(?:(\d\d)(?:-([1-5]\d\d))?|xx)\z/i';

    /** @param array<int, true> $statuses */
    private function __construct(public string $text, private array $statuses) {}

    /**
     * @param string $option the name of the option that has the list
     *
     * @throws InvalidPlan
     */
    public static function parse(string $option, string $text): self
    {
        $statuses = [];

        foreach (explode(',', $text) as $part) {
            $statuses += self::part(trim($part)) ?? throw InvalidPlan::option($option, $text, self::ALLOWED);
        }

        return new self($text, $statuses);
    }

    /** As parse(), and 'none' is the empty list. */
    public static function parseOrNone(string $option, string $text): self
    {
        try {
            return $text === self::NONE ? self::none() : self::parse($option, $text);
        } catch (InvalidPlan) {
            throw InvalidPlan::option($option, $text, self::ALLOWED.", or 'none'");
        }
    }

    /** The default errors. */
    public static function ofErrors(): self
    {
        return self::parse('error-status', '4xx,5xx');
    }

    public static function none(): self
    {
        return new self(self::NONE, []);
    }

    public function contains(int $status): bool
    {
        // HTTP defines no status above 599. A list with any error counts one as an error.
        return isset($this->statuses[$status]) || ($status > 599 && $this->statuses !== []);
    }

    /** @return list<int> */
    public function list(): array
    {
        return array_keys($this->statuses);
    }

    /** @return ?array<int, true> */
    private static function part(string $part): ?array
    {
        if (preg_match(self::ONE, $part, $m) !== 1) {
            return null;
        }

        $first = (int) ($m[1].($m[2] ?? '00'));
        $last = (int) ($m[3] ?? (isset($m[2]) ? $first : $m[1].'99'));

        return $first > $last ? null : array_fill_keys(range($first, $last), true);
    }
}
