<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use InvalidArgumentException;
use Stringable;

/**
 * Markup, HTML or SVG, that is made of elements: a string among their children is text and can not become markup.
 */
final readonly class Html implements Stringable
{
    private const VOID = ['br', 'link', 'meta'];

    private function __construct(private string $markup) {}

    /**
     * @param array<string, string|int|float|null> $attributes those that are null are left out
     */
    public static function element(string $name, array $attributes = [], self|string ...$children): self
    {
        $opening = $name;

        foreach ($attributes as $attribute => $value) {
            $opening .= $value === null ? '' : " {$attribute}=\"".self::escaped((string) $value).'"';
        }

        return new self(in_array($name, self::VOID, true) ? "<{$opening}>" : "<{$opening}>".self::together(...$children)."</{$name}>");
    }

    public static function together(self|string ...$parts): self
    {
        return new self(implode('', array_map(static fn (self|string $part): string => $part instanceof self ? $part->markup : self::escaped($part), $parts)));
    }

    /** What every document begins with. */
    public static function doctype(): self
    {
        return new self("<!doctype html>\n");
    }

    /** A browser reads what is in it as it stands, up to the first `</`. */
    public static function style(string $css): self
    {
        return str_contains($css, '</') ? throw new InvalidArgumentException('A style that contains "</" would end there.') : new self("<style>{$css}</style>");
    }

    public function __toString(): string
    {
        return $this->markup;
    }

    private static function escaped(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_DISALLOWED | ENT_HTML5, 'UTF-8');
    }
}
