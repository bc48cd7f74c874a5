<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Html;

/**
 * What the figures have to be read with: machine, versions, settings, effort; how to repeat them; and what they do not say.
 */
final readonly class Given
{
    private const NOT_SAID = [
        'What your application gains. Preloading spares a fixed sum for each class that a request uses: much of a page of one millisecond, nothing to notice of one of fifty. php artisan headroom:preload:bench measures yours.',
        'How many requests a server takes: client, nginx and PHP share one machine, and only ratios within a round are told. The time of nginx and of the kernel is in requests/s, and no list changes it.',
        'What happens on a machine that is cold: files are in the kernel\'s cache, also at the first request.',
        'Anything of other versions of PHP, of JIT, of opcache.validate_timestamps=1 or of Xdebug.',
        'How often a list that was made without care breaks an application: the workbench has traps, which were made for that.',
        'That Laraload itself was run: its list is made here by its rules, the most used files of opcache up to 32 MB, compiled unfiltered.',
    ];

    public function __construct(private ResultsFile $results) {}

    public function draw(): Html
    {
        return Html::together($this->given(), $this->repeat(), Html::element('section', ['id' => 'not-said'],
            Html::element('h2', [], 'What it does not say'),
            Html::element('ul', [], ...array_map(static fn (string $words): Html => Html::element('li', [], $words), self::NOT_SAID)),
        ));
    }

    private function given(): Html
    {
        $machine = $this->results->machine;

        return Html::element('section', ['id' => 'machine'],
            Html::element('h2', [], 'Machine, versions, settings, effort'),
            Html::element('dl', [], ...array_map(static fn (string $term, string $words): Html => Html::together(Html::element('dt', [], $term), Html::element('dd', [], $words)), [
                'Commit and date', 'Machine', 'PHP', 'php.ini of the pools; opcache.preload is that of each list', 'Effort',
            ], [
                "{$machine->text('commit')}, {$machine->text('date')}",
                "{$machine->text('cpu')}, {$machine->text('cores')} cores, {$machine->text('memory_mb')} MB, {$machine->text('kernel')}",
                $machine->text('php'),
                self::pairs($this->results->ini, ' = '),
                self::pairs($this->results->effort, ' '),
            ])),
        );
    }

    private function repeat(): Html
    {
        return Html::element('section', ['id' => 'repeat'],
            Html::element('h2', [], 'How to repeat it'),
            Html::element('p', [], Html::element('code', [], $this->results->isQuick ? 'QUICK=1 make bench-preload' : 'make bench-preload'), ' in a checkout of that commit, with nginx and PHP-FPM (', Html::element('code', [], 'bin/services install nginx fpm'), '), while nothing else runs. This page alone, of results that are there: ', Html::element('code', [], 'php benchmarks/preload/report.php'), '. How it is measured: benchmarks/preload/README.md.'),
        );
    }

    /** @param array<string, string> $settings */
    private static function pairs(array $settings, string $between): string
    {
        return implode(', ', array_map(static fn (string $key, string $value): string => strtr($key, $between === ' ' ? ['_' => ' '] : []).$between.($value === '' ? '(empty)' : $value), array_keys($settings), $settings));
    }
}
