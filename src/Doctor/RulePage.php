<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A rule as a page of Markdown: docs/checks/ holds them, and `doctor --explain` prints one.
 *
 * @internal
 */
final readonly class RulePage
{
    private const WIDTH = 118;

    public function __construct(private Rule $rule) {}

    public function fileName(): string
    {
        return "{$this->rule->id}.md";
    }

    public function text(): string
    {
        $rule = $this->rule;
        $severity = ucfirst($rule->severity->value);
        $sources = implode("\n", array_map(static fn (string $source): string => "- <{$source}>", $rule->sources));

        return "# {$rule->id}: {$rule->title}\n\n{$severity}, {$rule->layer->value}, about {$rule->minutes} minutes"
            ." to fix.\n\n"
            .self::paragraph($rule->why)
            .'**It fires** when this is so: '.self::paragraph($rule->fires)
            ."`headroom doctor --only={$rule->id}` shows what was seen, where, and what to change. To leave it out:"
            ." `--ignore={$rule->id}`.\n\n"
            ."Read more:\n\n{$sources}\n";
    }

    public function row(): string
    {
        return "| [{$this->rule->id}]({$this->fileName()}) | {$this->rule->severity->value} | {$this->rule->title} |";
    }

    private static function paragraph(string $text): string
    {
        return wordwrap($text, self::WIDTH)."\n\n";
    }
}
