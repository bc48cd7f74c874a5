<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Unit;

/**
 * Article 5: a server on an event loop against one process per request.
 */
final readonly class Collector implements Chapter
{
    private const ID = 'collector';

    private const TITLE = '5. An event collector';

    /** Share of the answers that are possible. */
    private const AIM = 0.95;

    private const NOT_SAID = [
        'What the article measured: its eight cores and its Elasticsearch cluster over a network. Here client (wrk),'
            .' nginx, PHP-FPM, the collector and OpenSearch share the same cores and talk over loopback.',
        'What stack A does when the index it logs to is slow: here the index is on the same machine, and nobody waits'
            .' for it for long. What makes stack A fall over is waiting, as with the third party.',
        'Response times of an overloaded stack: who still waits when a step ends is not among them, so they are too'
            .' low. A step in which nobody was answered has none.',
        'The same promise on both sides: the article answers OK and logs later, out of memory.'
            .' The collector answers 202 when the event is synced to the disk.',
    ];

    public function __construct(private Experiment $experiment) {}

    public function headline(): Headline
    {
        $theirs = '1,000 users of a third party that takes 2 s: event loop 2 s, PHP-FPM 60 s and then no answer';
        $steps = new CollectorSteps($this->experiment);
        [$x, $a] = [$steps->step('slow_x', 1000), $steps->step('slow_a', 1000)];
        $slow = $this->experiment->part('slow');

        if ($x === null || $a === null || $slow === null) {
            return Headline::missing(self::TITLE, self::ID, $theirs, $this->experiment->command('figures,slow'));
        }

        $share = $slow->figures->number('ideal_share');

        return Headline::of(
            self::TITLE,
            self::ID,
            $theirs,
            "event loop {$x->words()}, PHP-FPM {$a->words()}",
            Unit::Share->words($share).' of the answers that are possible',
            'aim '.Unit::Share->words(self::AIM),
            $share >= self::AIM,
        );
    }

    public function section(): Section
    {
        $steps = new CollectorSteps($this->experiment);

        return new Section(self::ID, self::TITLE, [
            new Paragraph(
                'The article: A High-Performance Logger with PHP. Stack X is four PHP processes on an event loop behind'
                    .' nginx, stack A is PHP-FPM behind nginx. The article has charts and sentences, no tables:'
                    .' what its sentences say stands here, row by row.',
            ),
            $steps->grid(),
            Paragraph::note(
                "The article's machine: 8 cores, for both stacks; Locust as the client; the year is not told."
                    .' It speaks of averages. Here: medians, 1,000 users or as many as the row says, a request a second'
                    .' each, 16 FPM workers for stack A.',
            ),
            ...($this->experiment->part('figures') === null ? [] : [$steps->chart()]),
            $steps->flatOut(),
            ...(new Closing(
                $this->experiment,
                'about forty minutes',
                'about five minutes',
                self::NOT_SAID,
                true,
            ))->blocks(),
        ]);
    }
}
