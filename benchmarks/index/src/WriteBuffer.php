<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * Article 1: a write into the database, and into a buffer instead.
 */
final readonly class WriteBuffer implements Chapter
{
    private const ID = 'write-buffer';

    private const TITLE = '1. A write buffer';

    /** Of which condition here the article's table is compared. */
    private const CONDITION = 'c';

    /** Before and after, in the article. */
    public const RATES = [95, 820];

    private const P50 = [210, 8];

    private const P95 = [820, 31];

    private const NOT_SAID = [
        'What the article measured: its machine (4 vCPU, 8 GB), k6 as the client, MySQL 8.0 on a local network,'
            .' and an insert without a shared row. The row that all requests share and the 10 ms to the database are'
            .' ours; the other conditions are without the one or the other.',
        'The gain on other hardware. Client, nginx, 50 PHP-FPM workers, spool:work and the database share the same'
            .' cores, so what writes nothing at all is only so many times faster: that is the most that any buffer'
            .' could reach.',
        'Anything of power cuts: nothing is synced to the disk in these conditions. What that costs is measured at the'
            .' end of this page.',
        'That rounds agree: the least and the most of them stand below each figure, and a difference smaller than their'
            .' distance is none.',
    ];

    public function __construct(private Experiment $experiment) {}

    public function headline(): Headline
    {
        $theirs = '95 requests/s synchronous, 820 buffered: 8.63x';
        $part = $this->experiment->part('contended');

        if ($part === null) {
            return Headline::missing(self::TITLE, self::ID, $theirs, $this->experiment->command('contended'));
        }

        $figures = $part->figures->at(self::CONDITION);
        $rate = static fn (string $side): string
            => Unit::PerSecond->words($figures->at('endpoints', $side, 'requests_per_second')->number('median'));
        $ratio = $figures->at('buffered_vs_sync')->number('median');
        $aim = self::RATES[1] / self::RATES[0];

        return Headline::of(
            self::TITLE,
            self::ID,
            $theirs,
            "{$rate('sync')} synchronous, {$rate('buffered')} buffered: ".Unit::Times->words($ratio),
            Unit::Times->words($ratio).' where the article has 8.63x',
            'aim 8.63x',
            $ratio >= $aim,
        );
    }

    public function section(): Section
    {
        $conditions = new WriteBufferConditions($this->experiment);

        return new Section(self::ID, self::TITLE, [
            new Paragraph(
                'The article: How I Scaled Laravel to 800 Requests Per Second Using Async Processing.'
                    .' An endpoint that records an event, at 100 users: written into the database in the request,'
                    .' and into a buffer that is delivered later.',
            ),
            $this->table(),
            Paragraph::note(
                "The article's machine: 4 vCPU, 8 GB, Ubuntu 22.04, PHP 8.3 with 50 FPM workers, Laravel 11, MySQL 8.0,"
                    .' k6; the year is not told. Here: an insert and a row that all requests share, the database 10 ms'
                    .' away, 50 FPM workers, MariaDB. Small: the least and the most of the rounds.',
            ),
            ...$conditions->blocks(),
            ...$this->others(),
            ...(new Closing(
                $this->experiment,
                'about fifty minutes',
                'about six minutes',
                self::NOT_SAID,
                false,
            ))->blocks(),
        ]);
    }

    private function table(): Table
    {
        $part = $this->experiment->part('contended');
        $figures = $part?->figures->at(self::CONDITION);

        return new Table(
            [
                '', 'article: before', 'article: after', 'article: times better', 'here: synchronous',
                'here: buffered', 'here: times better',
            ],
            [
                [
                    'Requests per second',
                    '~95/s',
                    '~820/s',
                    '8.63x',
                    ...$this->cells(
                        $figures,
                        'requests_per_second',
                        Unit::PerSecond,
                        'buffered_vs_sync',
                        self::RATES[1] / self::RATES[0],
                    ),
                ],
                [
                    'p50 latency',
                    '210 ms',
                    '8 ms',
                    '26.3x',
                    ...$this->cells($figures, 'p50_ms', Unit::Millis, 'p50_ratio', self::P50[0] / self::P50[1]),
                ],
                [
                    'p95 latency',
                    '820 ms',
                    '31 ms',
                    '26.5x',
                    ...$this->cells($figures, 'p95_ms', Unit::Millis, 'p95_ratio', self::P95[0] / self::P95[1]),
                ],
                ['Error rate', '0.0 %', '0.0 %', '–', ...$this->errors($figures)],
            ],
        );
    }

    /** @return list<Cell> */
    private function cells(?Piece $figures, string $what, Unit $unit, string $ratio, float $aim): array
    {
        return $figures === null ? Missing::cells(Missing::cell($this->experiment->command('contended')), 3) : [
            Spread::of($figures->at('endpoints', 'sync', $what))->cell($unit),
            Spread::of($figures->at('endpoints', 'buffered', $what))->cell($unit),
            Spread::of($figures->at($ratio))->cell(Unit::Times, $aim),
        ];
    }

    /** @return list<Cell> */
    private function errors(?Piece $figures): array
    {
        $words = static fn (float $errors): Cell
            => new Cell(Unit::Count->words($errors), 'errors', $errors > 0.0 ? Tone::Alert : Tone::Plain);

        return $figures === null ? Missing::cells(Missing::cell($this->experiment->command('contended')), 3) : [
            $words($figures->number('sync_errors')),
            $words($figures->number('errors')),
            new Cell(
                '–',
                Unit::Count->words($figures->number('acknowledged')).' acknowledged, '
                    .Unit::Count->words($figures->number('lost')).' lost, '
                    .Unit::Count->words($figures->number('double')).' double',
            ),
        ];
    }

    /** @return list<Block> */
    private function others(): array
    {
        $rows = [];

        foreach ([
            'append' => 'One append, inside a PHP-FPM worker',
            'parallel' => 'Eight processes append, a ninth empties',
            'redis' => 'A bucket in Redis, against a bare XADD',
            'flush' => 'A flush, against hand-written inserts',
            'aggregate' => 'Counting, against a statement for each event',
            'memory' => 'Memory of a flush',
            'scan' => 'Reading segments',
        ] as $name => $title) {
            $part = $this->experiment->part($name);
            $rows = [
                ...$rows,
                ...($part === null
                    ? [[$title, ...Missing::cells(Missing::cell($this->experiment->command($name)), 2)]]
                    : self::results($title, $part)),
            ];
        }

        return [new Details('What the same experiment measures besides', [
            new Table(['', 'figure', 'value'], $rows),
            Paragraph::note('Named as in the results file; benchmarks/write-buffer/README.md says what each is.'),
        ])];
    }

    /** @return list<list<string>> */
    private static function results(string $title, Part $part): array
    {
        return array_map(
            static fn (string $key): array
                => [$title, strtr($key, '_', ' '), Unit::Count->words($part->result->number($key, -Piece::MOST))],
            array_values($part->result->names()),
        );
    }
}
