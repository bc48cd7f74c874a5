<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A list of HTTP statuses as it is written on a command line: 404, 500-599, 5xx, or several with commas between.
 */
final readonly class Statuses
{
    public const ALLOWED = 'statuses from 100 to 599 such as 404, 500-599 or 5xx, with commas between';

    private const NONE = 'none';

    private const ONE = '/\A([1-5])(?:(\d\d)(?:-([1-5]\d\d))?|xx)\z/i';

    /** @param array<int, true> $statuses */
    private function __construct(public string $text, private array $statuses) {}

    /**
     * @param string $option that it was given to
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

    /** As parse(), where 'none' is one too. */
    public static function parseOrNone(string $option, string $text): self
    {
        try {
            return $text === self::NONE ? self::none() : self::parse($option, $text);
        } catch (InvalidPlan) {
            throw InvalidPlan::option($option, $text, self::ALLOWED.", or 'none'");
        }
    }

    /** What counts as an error unless something else is asked for. */
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
        // HTTP has no status beyond 599.
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
