<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Scale;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Unit;

/**
 * What the article says of its figures, with ours beside it.
 */
final readonly class CollectorSteps
{
    /** Title, stack X and stack A in the article, scenario here, users. */
    private const ARTICLE = [
        ['Hello world (figures 1 and 2)', 'very similar', 'very similar', 'hello', 1000],
        ['Third party of 2 s, 100 users (figures 3 and 4)', '2 s on average', '40 s on average', 'slow', 100],
        [
            'Third party of 2 s, 1,000 users (figures 5 and 6)',
            '2 s on average',
            '60 s on average, then no response',
            'slow',
            1000,
        ],
        ['A payload is logged, 1,000 users (figures 7 and 8)', 'around 10 ms', 'stops handling requests', 'log', 1000],
    ];

    public function __construct(private Experiment $experiment) {}

    /** @param string $series scenario and stack, such as slow_x */
    public function step(string $series, int $users): ?CollectorStep
    {
        $step = $this->experiment->part('figures')?->figures->row($series, 'users', (string) $users);

        return $step === null ? null : CollectorStep::of($step);
    }

    public function grid(): Table
    {
        $rows = [];

        foreach (self::ARTICLE as [$title, $x, $a, $scenario, $users]) {
            $rows[] = [$title, $x, $a, $this->cell("{$scenario}_x", $users), $this->cell("{$scenario}_a", $users)];
        }

        return new Table(
            ['', 'article: stack X, event loop', 'article: stack A, PHP-FPM', 'here: stack X', 'here: stack A'],
            $rows,
        );
    }

    public function chart(): LineChart
    {
        return new LineChart(
            'collector-slow',
            'Response time with a third party that takes 2 s',
            'The median of each step, over users with a request a second each. Where a line ends, nobody was answered.',
            Unit::Count,
            Unit::Millis,
            [
                $this->line('stack X, event loop', 'slow_x'),
                $this->line('stack A, PHP-FPM', 'slow_a'),
            ],
            scale: Scale::Log,
        );
    }

    /** As fast as it goes, which the article does not say of a single figure. */
    public function flatOut(): Table
    {
        $hello = $this->experiment->part('hello');
        $slow = $this->experiment->part('slow');
        $missing = Missing::cell($this->experiment->command('hello,slow'));

        return new Table(['here, flat out', 'figure'], [
            [
                'Hello world, 100 connections: one worker / stack A with both cores',
                $hello === null
                    ? $missing
                    : Spread::of($hello->figures->at('100', 'collector_vs_fpm'))->cell(Unit::Times, 2.5),
            ],
            [
                'Hello world, 1,000 connections: two workers / stack A',
                $hello === null
                    ? $missing
                    : Spread::of($hello->figures->at('1000', 'collector_vs_fpm'))->cell(Unit::Times, 3.0),
            ],
            [
                'Third party, 1,000 users without a pause: p99 of others, who send events meanwhile',
                $slow === null
                    ? $missing
                    : new Cell(Unit::Millis->words($slow->figures->at('acks_beside')->number('p99_ms'))),
            ],
        ]);
    }

    private function cell(string $series, int $users): Cell
    {
        return $this->step($series, $users)?->cell() ?? Missing::cell($this->experiment->command('figures'));
    }

    private function line(string $name, string $series): Line
    {
        $points = [];
        $before = 0;

        foreach ($this->experiment->part('figures')?->figures->list($series) ?? [] as $piece) {
            $step = CollectorStep::of($piece);
            $before = $step->users > $before
                ? $step->users
                : throw $piece->wrong('users', "more than the {$before} above it");
            $points[] = [$step->users, $step->p50];
        }

        return new Line($name, $points);
    }
}
