<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Preload\Strategy;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;

/**
 * What somebody reads who reads no table: which of the lists that are proven spares most, and what breaks.
 */
final readonly class Verdict
{
    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        return new Section(
            'result',
            'Result',
            [...$this->warning(), $this->gain(), ...$this->broken()],
            $this->results->isQuick ? Tone::Alert : Tone::Plain,
        );
    }

    /** @return list<Block> */
    private function warning(): array
    {
        return $this->results->isQuick ? [new Paragraph(
            'A quick run: its rounds are few and short. It shows that everything works; its figures are no results.',
            Tone::Alert,
        )] : [];
    }

    private function gain(): Paragraph
    {
        $gains = array_filter(array_map(
            $this->spared(...),
            array_combine($names = array_column(Strategy::cases(), 'value'), $names),
        ));

        if ($gains === []) {
            return Paragraph::lead(
                'No list of headroom:preload was seen to spare CPU time on every page that was measured.',
                Tone::Alert,
            );
        }

        uasort($gains, static fn (array $a, array $b): int => array_sum($b) <=> array_sum($a));
        $best = array_key_first($gains);

        return Paragraph::lead(sprintf(
            "Of the lists that headroom:preload makes and proves, `%s` spares most: %.1f to %.1f %% of a request's CPU"
                .' time, by page, against `%s` without preloading.',
            $best,
            min($gains[$best]),
            max($gains[$best]),
            $this->results->base()->name,
        ));
    }

    /** @return list<float> percent of each page's CPU time; none when it was not seen to spare some of each */
    private function spared(string $list): array
    {
        $costs = $this->results->variant($list)->costs ?? [];
        $sparing = array_filter(
            $costs,
            static fn (Cost $cost): bool => ! $cost->isChanged && $cost->ratio->isSeen && $cost->ratio->median < 1,
        );

        return count($sparing) < count($costs)
            ? []
            : array_values(array_map(static fn (Cost $cost): float => 100 * (1 - $cost->ratio->median), $sparing));
    }

    /** @return list<Block> */
    private function broken(): array
    {
        $ours = array_unique(array_merge(...array_map(
            static fn (Measured $measured): array => $measured->name === Summary::ARTICLE ? [] : $measured->changed,
            $this->results->variants,
        )));
        $article = $this->results->variant(Summary::ARTICLE);
        $all = count(Pages::all());

        return [
            $ours === []
                ? new Paragraph("None of the {$all} pages answers otherwise under them.", Tone::Good)
                : Paragraph::lead(
                    sprintf(
                        '%d of the %d pages answer otherwise under them, which must not be: see below.',
                        count($ours),
                        $all,
                    ),
                    Tone::Alert,
                ),
            ...($article === null ? [] : [new Paragraph(self::beside($article))]),
        ];
    }

    private static function beside(Measured $article): string
    {
        $changed = count($article->changed);
        $do = $changed === 0
            ? 'none does'
            : sprintf(
                '%d %s, %d of them made as traps',
                $changed,
                $changed === 1 ? 'does' : 'do',
                count(array_intersect($article->changed, Pages::TRAPS)),
            );

        return "Under the article's own list {$do}, and PHP warns {$article->warnings} times.";
    }
}
