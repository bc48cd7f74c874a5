<?php

declare(strict_types=1);

namespace Headroom\Load;

use Closure;
use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;

/**
 * A text with placeholders in double braces. Unclosed braces are literal text.
 */
final readonly class Template
{
    private const KNOWN = ['{{n}}', '{{uuid}}', '{{random:A-B}} (two whole numbers, A not above B)'];

    /** @param list<string|(Closure(int, array<string, string>): string)> $parts */
    private function __construct(private array $parts) {}

    /**
     * @param list<string> $variables names of values that render() receives
     *
     * @throws InvalidPlan for an unknown placeholder
     */
    public static function parse(
        string $text,
        Randomizer $random = new Randomizer(new Xoshiro256StarStar),
        array $variables = [],
    ): self {
        $pieces = preg_split('/\{\{([^{}]*)\}\}/', $text, -1, PREG_SPLIT_DELIM_CAPTURE);
        $parts = [];

        foreach ($pieces === false ? [$text] : $pieces as $i => $piece) {
            // Literal texts and placeholder names alternate.
            $parts[] = $i % 2 === 0 ? $piece : self::placeholder($piece, $random, $variables);
        }

        return new self($parts);
    }

    public function isConstant(): bool
    {
        return count($this->parts) === 1;
    }

    /** @param array<string, string> $values by variable */
    public function render(int $number, array $values = []): string
    {
        $text = '';

        foreach ($this->parts as $part) {
            $text .= is_string($part) ? $part : $part($number, $values);
        }

        return $text;
    }

    /**
     * @param list<string> $variables
     * @return Closure(int, array<string, string>): string
     */
    private static function placeholder(string $text, Randomizer $random, array $variables): Closure
    {
        $name = trim($text);

        if (preg_match('/\Arandom:(-?\d{1,18})-(-?\d{1,18})\z/', $name, $m) === 1 && (int) $m[1] <= (int) $m[2]) {
            [$min, $max] = [(int) $m[1], (int) $m[2]];

            return static fn (): string => (string) $random->getInt($min, $max);
        }

        if (in_array($name, $variables, true)) {
            return self::variable($name);
        }

        return match ($name) {
            'n' => static fn (int $number): string => (string) $number,
            'uuid' => static fn (): string => self::uuid($random),
            default => throw InvalidPlan::placeholder($text, self::KNOWN),
        };
    }

    /** @return Closure(int, array<string, string>): string */
    private static function variable(string $name): Closure
    {
        return static function (int $number, array $values) use ($name): string {
            $value = $values[$name] ?? '';

            return is_string($value) ? $value : '';
        };
    }

    /** Version 4: https://www.rfc-editor.org/rfc/rfc9562#section-5.4 */
    private static function uuid(Randomizer $random): string
    {
        $hex = bin2hex($random->getBytes(16));
        $variant = '89ab'[hexdec($hex[16]) % 4];

        return substr($hex, 0, 8).'-'.substr($hex, 8, 4).'-4'.substr($hex, 13, 3)."-{$variant}".substr($hex, 17, 3).'-'
            .substr($hex, 20);
    }
}
