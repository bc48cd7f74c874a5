<?php

declare(strict_types=1);

namespace Headroom\Cli\Doctor;

use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Live\LiveDiagnosis;
use Headroom\Doctor\Live\Series;

use function array_filter;
use function array_map;
use function count;
use function htmlspecialchars;
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
    private const WIDTH = 900;

    private const HEIGHT = 90;

    private const LEFT = 60;

    public function __construct(private LiveDiagnosis $live, private Diagnosis $diagnosis) {}

    public function text(): string
    {
        $cause = $this->live->cause;
        $explained = $this->live->explainedBy($this->diagnosis);
        $rows = implode('', array_map(static fn (Evidence $evidence): string => '<tr><td>'.self::escaped($evidence->what).'</td><td>'.self::escaped($evidence->value).'</td><td>'.self::escaped($evidence->source).'</td></tr>', $cause->evidence));

        return "<article class=\"{$cause->severity->value}\" id=\"live\"><h2>".self::escaped($cause->sentence).' <small>'.self::escaped("{$cause->stall->value}, under load").'</small></h2>'
            .$this->chart()."<table>{$rows}</table><p>".self::escaped($explained === null ? $cause->next : "Do what {$explained->rule->id} says below: ".($explained->finding->fix->text ?? $cause->next)).'</p></article>';
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
        $svg = '';

        foreach (array_keys($panels) as $index => $what) {
            $svg .= self::panel($what, $panels[$what], $end, $index * self::HEIGHT);
        }

        $height = count($panels) * self::HEIGHT + 16;

        return '<svg viewBox="0 0 '.self::WIDTH." {$height}\" role=\"img\" aria-label=\"What was seen over the seconds of the load\">{$svg}".sprintf('<text x="%d" y="%d">0 s</text><text x="%d" y="%d" text-anchor="end">%.0f s</text>', self::LEFT, $height - 3, self::WIDTH, $height - 3, $end).'</svg>';
    }

    /** @param list<array{float, ?float}> $points */
    private static function panel(string $what, array $points, float $end, int $top): string
    {
        $known = array_values(array_filter($points, static fn (array $point): bool => $point[1] !== null));
        $most = max([0.001, ...array_map(static fn (array $point): float => $point[1], $known)]);
        $bottom = $top + self::HEIGHT - 8;
        $places = array_map(static fn (array $point): string => sprintf('%.1F,%.1F', self::LEFT + (self::WIDTH - self::LEFT) * max(0.0, $point[0]) / $end, $bottom - (self::HEIGHT - 28) * $point[1] / $most), $known);

        return sprintf('<text x="%d" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text><text x="%d" y="%d" text-anchor="end">0</text><line x1="%d" y1="%d" x2="%d" y2="%d"/><polyline points="%s"/>', self::LEFT, $top + 12, self::escaped($what), self::LEFT - 6, $top + 26, number_format($most, $most < 10 ? 1 : 0), self::LEFT - 6, $bottom, self::LEFT, $bottom, self::WIDTH, $bottom, implode(' ', $places));
    }

    private static function escaped(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
    }
}
