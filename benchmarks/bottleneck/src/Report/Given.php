<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\MeasuredOn;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;

/**
 * What the figures have to be read with: what they do not say, the machine of each part, and how to repeat them.
 */
final readonly class Given
{
    private const NOT_SAID = [
        'How far away a Redis is, and what a connection costs it: both figures are made up, and the second is chosen so'
            .' that two connections per request and 350 users come to the 8 s at which the article\'s stack stood.'
            .' The doctor does not know them.',
        'How long somebody waits who is not given up. Here a request is given up after the limit and its user comes'
            .' back at once, while PHP-FPM still works on it: means end at the limit, and errors cause more errors.',
        'How many requests a server takes: the client, nginx, PHP-FPM and Redis share one machine, and nginx and'
            .' PHP-FPM have a quota of its CPU time.',
        'What more cores bring where they are what is missing. They brought something in the article;'
            .' here the limit is on the other side of the line.',
        'How far two runs of a stage are apart, but for the baseline, of which "Packages updated" is a second run.',
    ];

    /** @param array<string, MeasuredOn> $machines by part */
    public function __construct(private array $machines, private bool $isQuick) {}

    /** @return list<Section> */
    public function sections(): array
    {
        $quick = $this->isQuick ? 'QUICK=1 ' : '';

        return [
            new Section('not-said', 'What it does not say', [new BulletList(self::NOT_SAID)]),
            new Section('machines', 'Machine, commit and date of each part', [new Facts($this->machines(), true)]),
            new Section('repeat', 'How to repeat it', [
                new Paragraph('In a checkout of that commit, with nginx, PHP-FPM and Redis, while nothing else runs:'),
                new Code("bin/services install nginx fpm redis\n{$quick}make bench-bottleneck"),
                new Paragraph(
                    'This page alone, of results that are there: `php benchmarks/bottleneck/report.php`.'
                        .' What is measured, and how: benchmarks/bottleneck/README.md.',
                ),
            ]),
        ];
    }

    /** @return list<array{string, string}> */
    private function machines(): array
    {
        $machines = [];

        foreach ($this->machines as $name => $machine) {
            $machines[] = [
                $name,
                "commit {$machine->commit}, {$machine->date}, {$machine->hardware()}, {$machine->kernel},"
                    ." PHP {$machine->php}",
            ];
        }

        return $machines;
    }
}
