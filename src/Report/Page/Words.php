<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A paragraph. What stands in `backticks` is set as code.
 *
 * @internal
 */
final readonly class Words implements Block
{
    public function __construct(
        private string $text,
        private Tone $tone = Tone::Plain,
        private Weight $weight = Weight::Plain,
    ) {}

    /** The sentence that somebody reads who reads only one. */
    public static function lead(string $text, Tone $tone = Tone::Plain): self
    {
        return new self($text, $tone, Weight::Lead);
    }

    /** Smaller and quiet: how to read what is above, where a number comes from. */
    public static function note(string $text): self
    {
        return new self($text, Tone::Quiet, Weight::Note);
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
