<?php

declare(strict_types=1);

namespace Headroom\Cli\Doctor;

use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Live\LiveDiagnosis;
use Headroom\Doctor\Live\Series;

use function array_filter;
use function array_map;
use function implode;
use function max;
use function sprintf;

/**
 * The live diagnosis for a browser: the sentence, what it rests on, and four lines over one time.
 *
 * @internal
 */
final readonly class LiveSection
{
    private const WIDTH = 1_000;

    private const HEIGHT = 60;

    /** Above it there is room for the line's own width. */
    private const BOTTOM = self::HEIGHT + 2;

    public function __construct(private LiveDiagnosis $live, private Diagnosis $diagnosis) {}

    public function text(): string
    {
        $cause = $this->live->cause;
        $explained = $this->live->explainedBy($this->diagnosis);
        $rows = implode('', array_map(static fn (Evidence $evidence): string => '<tr><td>'.Html::text($evidence->what).'</td><td>'.Html::text($evidence->value).'</td><td>'.Html::text($evidence->source).'</td></tr>', $cause->evidence));

        return "<article class=\"{$cause->severity->value}\" id=\"live\"><h2>".Html::text($cause->sentence).' <small>'.Html::text("{$cause->stall->value}, under load").'</small></h2>'
            .$this->chart()."<table>{$rows}</table><p>".Html::text($explained === null ? $cause->next : "Do what {$explained->rule->id} says below: ".($explained->finding->fix->text ?? $cause->next)).'</p></article>';
    }

    private function chart(): string
    {
        $series = new Series($this->live->recording);
        $panels = array_filter([
            'response time, ms' => $series->responseTimes(),
            'requests that wait for a process' => $series->waiting(),
            'processes at work' => $series->busy(),
            'CPU time used, %' => $series->cpu(),
        ], static fn (array $points): bool => array_filter($points, static fn (array $point): bool => $point[1] !== null) !== []);
        $end = max([0.001, ...array_map(static fn (array $points): float => max([0.0, ...array_map(static fn (array $point): float => $point[0], $points)]), array_values($panels))]);

        return $panels === [] ? '' : implode('', array_map(static fn (string $what, array $points): string => self::panel($what, $points, $end), array_keys($panels), $panels))
            .sprintf('<p class="seconds"><span>0 s</span><span>%.0f s</span></p>', $end);
    }

    /**
     * The words are no part of the drawing, which is as wide as the page and would make them as small.
     *
     * @param list<array{float, ?float}> $points
     */
    private static function panel(string $what, array $points, float $end): string
    {
        $known = array_values(array_filter($points, static fn (array $point): bool => $point[1] !== null));
        $most = max([0.001, ...array_map(static fn (array $point): float => $point[1], $known)]);
        $places = array_map(static fn (array $point): string => sprintf('%.2F,%.2F', self::WIDTH * max(0.0, $point[0]) / $end, self::BOTTOM - self::HEIGHT * $point[1] / $most), $known);

        return sprintf(
            '<figure><figcaption>%1$s, up to %2$s</figcaption><svg viewBox="0 0 %3$d %4$d" preserveAspectRatio="none" role="img" aria-label="%1$s over %6$.0f s"><line x1="0" y1="%5$d" x2="%3$d" y2="%5$d"/><polyline points="%7$s"/></svg></figure>',
            Html::text($what),
            number_format($most, $most < 10 ? 1 : 0),
            self::WIDTH,
            self::BOTTOM + 2,
            self::BOTTOM,
            $end,
            implode(' ', $places),
        );
    }
}
