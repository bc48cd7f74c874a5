<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;

use function array_filter;
use function array_map;
use function implode;

/**
 * Formats a diagnosis as one HTML file, which loads nothing and runs no script.
 *
 * @internal
 */
final readonly class HtmlReport
{
    private const STYLE = <<<'CSS'
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
        body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
        article { border: 1px solid #8886; border-left-width: .4rem; border-radius: .4rem; }
        article { padding: .2rem 1rem .8rem; margin: 1rem 0; overflow-wrap: anywhere; }
        .critical { border-left-color: #c62828; }
        .high { border-left-color: #e06c00; }
        .medium { border-left-color: #b8960b; }
        .low, .info { border-left-color: #5b7a99; }
        h2 { font-size: 1.05rem; margin: .6rem 0; }
        small { opacity: .75; font-weight: normal; }
        table { border-collapse: collapse; display: block; overflow-x: auto; }
        td { padding: .1rem .8rem .1rem 0; vertical-align: top; }
        pre { overflow-x: auto; background: #8882; border-radius: .3rem; padding: .6rem; }
        figure { margin: .6rem 0; }
        figcaption, .seconds { font-size: .85rem; }
        .seconds { display: flex; justify-content: space-between; margin: 0 0 .8rem; }
        svg { display: block; width: 100%; height: 4rem; }
        svg * { vector-effect: non-scaling-stroke; }
        svg line { stroke: #8888; }
        svg polyline { fill: none; stroke: #3d8fd1; stroke: light-dark(#1f6fae, #6cb6ff); stroke-width: 2; }
        code, pre, td { font-family: ui-monospace, monospace; font-size: .85rem; }
        @media (max-width: 40rem) {
            tr, td { display: block; }
            tr { margin: .5rem 0; }
            td:first-child { font-weight: 600; }
            td:last-child { opacity: .75; }
        }
        CSS;

    public function __construct(
        private Report $diagnosis,
        private string $when,
        private ?LoadDiagnosis $live = null,
    ) {}

    public function text(): string
    {
        $problems = $this->diagnosis->problems();
        $others = array_filter(
            $this->diagnosis->results,
            static fn (CheckResult $verdict): bool => ! $verdict->finding->status->isProblem(),
        );
        $sum = Html::text(implode(
            ', ',
            array_map(
                fn (Status $status): string => "{$this->diagnosis->count($status)} {$status->value}",
                Status::cases(),
            ),
        ));

        return '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport"'
            .' content="width=device-width, initial-scale=1">'
            .'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src'
            .' \'unsafe-inline\'"><title>headroom doctor</title>'
            .'<style>'.self::STYLE.'</style></head><body><h1>headroom doctor</h1><p>'.Html::text($this->when)
            .": {$sum}.</p>"
            .($this->live === null ? '' : (new LiveSection($this->live, $this->diagnosis))->text())
            .implode('', array_map(self::problem(...), $problems))
            .'<details><summary>Checks that passed, are unknown or do not apply</summary>'
            .implode('', array_map(self::other(...), $others)).'</details></body></html>'."\n";
    }

    private static function problem(CheckResult $verdict): string
    {
        $finding = $verdict->finding;
        $rows = implode(
            '',
            array_map(
                static fn (Evidence $evidence): string => '<tr><td>'.Html::text($evidence->what).'</td><td>'
                    .Html::text($evidence->value).'</td><td>'.Html::text($evidence->source).'</td></tr>',
                $finding->evidence,
            ),
        );
        $fix = $finding->fix === null
            ? ''
            : '<pre>'.Html::text(implode("\n", $finding->fix->lines())).'</pre><p><small>Undo: '
                .Html::text($finding->fix->rollback).'</small></p>';

        return "<article class=\"{$verdict->check->severity->value}\" id=\"".Html::text($verdict->key()).'"><h2>'
            .Html::text("{$verdict->check->id} {$verdict->check->title}").' <small>'
            .Html::text(implode(
                ', ',
                array_filter(
                    [$verdict->check->severity->value, $finding->subject, $finding->confidence->value],
                    static fn (string $word): bool => $word !== '',
                ),
            ))
            .'</small></h2><p>'.Html::text($finding->message)."</p><table>{$rows}</table><p>"
            .Html::text($finding->consequence)."</p>{$fix}</article>";
    }

    private static function other(CheckResult $verdict): string
    {
        $fix = $verdict->finding->fix;

        return '<p><code>'.Html::text("{$verdict->finding->status->value} {$verdict->key()}").'</code> '
            .Html::text($verdict->finding->message)
            .($fix === null ? '' : '<br><code>'.Html::text(implode(' ', $fix->commands)).'</code>').'</p>';
    }
}
