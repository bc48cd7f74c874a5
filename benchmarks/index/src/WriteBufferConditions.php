<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The same comparison under all conditions that were measured here.
 */
final readonly class WriteBufferConditions
{
    /** Words and part by condition. */
    private const CONDITIONS = [
        'c' => ['a shared row, database 10 ms away', 'contended'],
        'c_2ms' => ['a shared row, database 2 ms away', 'contended'],
        'paced' => ['a shared row, 10 ms, users pause 114 ms', 'contended'],
        'few_workers' => ['plain insert, 10 ms, 10 FPM workers', 'contended'],
        'a' => ['plain insert, database local', 'endpoints'],
        'b' => ['plain insert, database 2 ms away', 'endpoints'],
    ];

    private const SIDES = ['none' => 'nothing is written', 'sync' => 'synchronous', 'buffered' => 'buffered'];

    public function __construct(private Experiment $experiment) {}

    /** @return list<Block> */
    public function blocks(): array
    {
        return [$this->chart(), $this->grid()];
    }

    private function chart(): BarChart
    {
        $values = ['none' => [null], 'sync' => [WriteBuffer::RATES[0]], 'buffered' => [WriteBuffer::RATES[1]]];
        $names = ['the article, another machine'];

        foreach (self::CONDITIONS as $condition => [$words, $part]) {
            $names[] = $words;
            $figures = $this->experiment->part($part)?->figures->at($condition);

            foreach (array_keys(self::SIDES) as $side) {
                $values[$side][] = $figures?->at('endpoints')
                    ->find($side)
                    ?->at('requests_per_second')
                    ->number('median');
            }
        }

        return new BarChart(
            'write-buffer-rates',
            'Requests per second',
            'Longer is better. What writes nothing is the most that a buffer can reach on the same machine.',
            $names,
            Unit::PerSecond,
            array_map(
                static fn (string $side, string $name): Bars => new Bars($name, $values[$side]),
                array_keys(self::SIDES),
                self::SIDES,
            ),
            isHorizontal: true,
        );
    }

    private function grid(): Table
    {
        $rows = [];

        foreach (self::CONDITIONS as $condition => [$words, $part]) {
            $figures = $this->experiment->part($part)?->figures->at($condition);
            $rows[] = [
                $words,
                ...($figures === null
                    ? Missing::cells(Missing::cell($this->experiment->command($part)), 5)
                    : self::row($figures)),
            ];
        }

        return new Table(
            [
                'here, each condition', 'buffered / synchronous', 'p50, synchronous', 'p50, buffered',
                'buffered / nothing written', 'acknowledged, lost, double',
            ],
            $rows,
        );
    }

    /** @return list<Cell> */
    private static function row(Piece $figures): array
    {
        $none = $figures->find('buffered_vs_none');
        $count = static fn (string $key): string => Unit::Count->words($figures->number($key));

        return [
            Spread::of($figures->at('buffered_vs_sync'))->cell(Unit::Times),
            Spread::of($figures->at('endpoints', 'sync', 'p50_ms'))->cell(Unit::Millis),
            Spread::of($figures->at('endpoints', 'buffered', 'p50_ms'))->cell(Unit::Millis),
            $none === null
                ? Missing::never('the endpoint that writes nothing is left out here')
                : Spread::of($none)->cell(Unit::Times),
            new Cell(
                "{$count('acknowledged')}, {$count('lost')}, {$count('double')}",
                '',
                $figures->number('lost') + $figures->number('double') > 0 ? Tone::Alert : Tone::Plain,
            ),
        ];
    }
}
