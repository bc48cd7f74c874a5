<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A paragraph. Text in `backticks` is set as code.
 *
 * @internal
 */
final readonly class Paragraph implements Block
{
    public function __construct(
        private string $text,
        private Tone $tone = Tone::Plain,
        private TextStyle $weight = TextStyle::Plain,
    ) {}

    /** The most important sentence of a section. */
    public static function lead(string $text, Tone $tone = Tone::Plain): self
    {
        return new self($text, $tone, TextStyle::Lead);
    }

    /** Smaller and quiet: how to read the block above, or the source of a number. */
    public static function note(string $text): self
    {
        return new self($text, Tone::Quiet, TextStyle::Note);
    }

    public function toArray(): array
    {
        return [
            'kind' => 'words',
            'text' => $this->text,
            'weight' => $this->weight->value,
            'tone' => $this->tone->value,
        ];
    }
}
