<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;

/**
 * What the figures have to be read with: machine, versions, settings, effort; how to repeat them;
 * and what they do not say.
 */
final readonly class Given
{
    private const NOT_SAID = [
        'What your application gains. Preloading spares a fixed sum for each class that a request uses:'
            .' much of a page of one millisecond, nothing to notice of one of fifty.'
            .' `php artisan headroom:preload:bench` measures yours.',
        'How many requests a server takes: client, nginx and PHP share one machine, and only ratios within a round are'
            .' told. The time of nginx and of the kernel is in requests/s, and no list changes it.',
        'What happens on a machine that is cold: files are in the kernel\'s cache, also at the first request.',
        'Anything of other versions of PHP, of JIT, of `opcache.validate_timestamps=1` or of Xdebug.',
        'How often a list that was made without care breaks an application: the workbench has traps, which were'
            .' made for that.',
        'That Laraload itself was run: its list is made here by its rules, the most used files of opcache up to 32 MB,'
            .' compiled unfiltered.',
    ];

    public function __construct(private ResultsFile $results) {}

    /** @return list<Section> */
    public function sections(): array
    {
        return [
            new Section('not-said', 'What it does not say', [new BulletList(self::NOT_SAID)]),
            new Section('machine', 'Machine, versions, settings, effort', [
                new Facts($this->facts(), true),
                new Paragraph('Effort: '.self::lines($this->results->effort, ' ', ', ').'.'),
                new Paragraph('php.ini of the pools; opcache.preload is that of each list:'),
                new Code(self::lines($this->results->ini, ' = ', "\n")),
            ]),
            new Section('repeat', 'How to repeat it', [
                new Paragraph('In a checkout of that commit, with nginx and PHP-FPM, while nothing else runs:'),
                new Code(
                    "bin/services install nginx fpm\n".($this->results->isQuick ? 'QUICK=1 ' : '').'make bench-preload',
                ),
                new Paragraph(
                    'This page alone, of results that are there: `php benchmarks/preload/report.php`.'
                        ." It is made of {$this->results->name}. How it is measured: benchmarks/preload/README.md.",
                ),
            ]),
        ];
    }

    /** @return list<array{string, string}> */
    private function facts(): array
    {
        $machine = $this->results->machine;

        return [
            ['Commit and date', "{$machine->commit}, {$machine->date}"],
            ['Machine', "{$machine->hardware()}, ".number_format($machine->memoryMegabytes)." MB, {$machine->kernel}"],
            ['PHP', $machine->php],
        ];
    }

    /** @param array<string, string> $settings */
    private static function lines(array $settings, string $between, string $behind): string
    {
        return implode(
            $behind,
            array_map(
                static fn (string $key, string $value): string => strtr($key, $between === ' ' ? ['_' => ' '] : [])
                    .$between.($value === '' ? '(empty)' : $value),
                array_keys($settings),
                $settings,
            ),
        );
    }
}
