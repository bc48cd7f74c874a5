<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Tone;

/**
 * A paragraph: a Template. It is left out if a figure in it has no value.
 */
final readonly class Text implements Drawing
{
    private function __construct(private string $template, private string $weight) {}

    public static function of(string $template): self
    {
        return new self($template, 'plain');
    }

    public static function lead(string $template): self
    {
        return new self($template, 'lead');
    }

    public static function note(string $template): self
    {
        return new self($template, 'note');
    }

    public function draw(Figures $figures): array
    {
        $template = new Template($this->template);
        $words = $template->isComplete($figures) ? $template->words($figures) : '';

        return $words === '' ? [] : [match ($this->weight) {
            'lead' => Paragraph::lead($words, $template->tone($figures)),
            'note' => Paragraph::note($words),
            default => new Paragraph($words, $template->tone($figures) === Tone::Alert ? Tone::Alert : Tone::Plain),
        }];
    }
}
