<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\Candidate;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\RecordingSeries;
use Headroom\Doctor\UnderLoad\TimeSeries;

use function array_map;
use function implode;
use function max;
use function sprintf;

/**
 * Formats a live diagnosis as HTML: the sentence, its evidence, and charts over a common time axis.
 *
 * @internal
 */
final readonly class LiveSection
{
    private const WIDTH = 1_000;

    private const HEIGHT = 60;

    /** Leaves room for the width of the line at the top. */
    private const BOTTOM = self::HEIGHT + 2;

    public function __construct(private LoadDiagnosis $live, private Report $diagnosis) {}

    public function text(): string
    {
        $cause = $this->live->cause;
        $rows = implode(
            '',
            array_map(
                static fn (Evidence $evidence): string => '<tr><td>'.Html::text($evidence->what).'</td><td>'
                    .Html::text($evidence->value).'</td><td>'.Html::text($evidence->source).'</td></tr>',
                $cause->evidence,
            ),
        );

        return "<article class=\"{$cause->severity->value}\" id=\"live\"><h2>".Html::text($cause->sentence).' <small>'
            .Html::text("{$cause->stall->value}, under load").'</small></h2>'
            .$this->chart()."<table>{$rows}</table>"
            .implode(
                '',
                array_map(
                    static fn (Candidate $other): string => '<p>Also: '.Html::text($other->sentence).'</p>',
                    $this->live->others,
                ),
            )
            .implode('', array_map(self::gap(...), $this->live->gaps()))
            .'<p>'.Html::text($this->live->advice($this->diagnosis)).'</p></article>';
    }

    private static function gap(MissingData $gap): string
    {
        $command = $gap->command === '' ? '' : '<br><code>'.Html::text($gap->command).'</code>';

        return '<p><code>unknown</code> '.Html::text("{$gap->what}: {$gap->reason}")."{$command}</p>";
    }

    private function chart(): string
    {
        $curves = (new RecordingSeries($this->live->recording))->curves();
        $end = RecordingSeries::end($curves);

        return $curves === []
            ? ''
            : implode('', array_map(static fn (TimeSeries $curve): string => self::panel($curve, $end), $curves))
                .sprintf('<p class="seconds"><span>0 s</span><span>%.0f s</span></p>', $end);
    }

    /** The caption is outside of the SVG, which is scaled to the page and would scale the text, too. */
    private static function panel(TimeSeries $curve, float $end): string
    {
        $most = max([0.001, ...array_map(static fn (array $point): float => $point[1], $curve->known())]);
        $places = array_map(
            static fn (array $point): string => sprintf(
                '%.2F,%.2F',
                self::WIDTH * max(0.0, $point[0]) / $end,
                self::BOTTOM - self::HEIGHT * $point[1] / $most,
            ),
            $curve->known(),
        );

        return sprintf(
            '<figure><figcaption>%1$s, up to %2$s</figcaption>'
                .'<svg viewBox="0 0 %3$d %4$d" preserveAspectRatio="none" role="img" aria-label="%1$s over %6$.0f s">'
                .'<line x1="0" y1="%5$d" x2="%3$d" y2="%5$d"/><polyline points="%7$s"/></svg></figure>',
            Html::text($curve->what),
            number_format($most, $most < 10 ? 1 : 0),
            self::WIDTH,
            self::BOTTOM + 2,
            self::BOTTOM,
            $end,
            implode(' ', $places),
        );
    }
}
