<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * What no article has.
 */
final readonly class Besides
{
    public const ID = 'besides';

    private const CLIENTS = [
        'load_1' => 'headroom load, 1 process',
        'load_2' => 'headroom load, 2 processes',
        'wrk_1' => 'wrk, 1 thread',
        'wrk_2' => 'wrk, 2 threads',
        'hey' => 'hey',
    ];

    private const LOGS = [
        'slow' => 'slow log of PHP-FPM',
        'slow_gz' => 'the same, gzipped',
        'nginx_error' => 'error log of nginx',
        'fpm_error' => 'error log of PHP-FPM',
        'access' => 'access log',
    ];

    private const LEVELS = [
        'process' => 'process: the page cache',
        'interval' => 'interval: synced each second',
        'power' => 'power: synced each time',
    ];

    private const DATABASES = ['sqlite' => 'SQLite', 'mariadb' => 'MariaDB', 'pgsql' => 'PostgreSQL'];

    public function __construct(
        private Experiment $load,
        private Experiment $logs,
        private Experiment $durability,
        private Experiment $torture,
    ) {}

    public function section(): Section
    {
        return new Section(self::ID, 'What no article has', [
            new Paragraph(
                'The load generator that these figures come from, the tools that read logs, what a synced write costs,'
                    .' and whether anything is lost.',
            ),
            ...$this->load(),
            ...$this->logs(),
            ...$this->durability(),
            ...$this->torture(),
            new Details('How to repeat it', [new Code(
                "make bench-load          # about seven minutes; QUICK=1 about a minute\nmake bench-logs          #"
                    ." about five minutes; QUICK=1 about a minute\nmake bench-durability    # some minutes\nmake"
                    .' torture             # about an hour',
            )]),
            new Paragraph(
                'What this does not say: how fast a client is on a machine of its own: client and server share the same'
                    .' cores here. What another disk or a virtual one with burst credit takes to sync.'
                    .' That nothing can be lost: the torture kills and fails what it can reach, for as long'
                    .' as it runs.',
            ),
            new Details('Machine, commit and date of each part', [$this->machines()]),
        ]);
    }

    /** @return list<Block> */
    private function load(): array
    {
        $part = $this->load->whole();

        if ($part === null) {
            return [Missing::words('The load generator', $this->load->command())];
        }

        $rates = $part->figures->at('rates');
        $cell = static fn (string $connections, string $client): Cell
            => ($samples = $rates->at($connections)->find($client)) === null
                ? Missing::never('not installed')
                : Spread::of($samples)->cell(Unit::PerSecond);

        return [
            new Table(['one nginx, two bytes', '10 connections', '100 connections'], array_map(
                static fn (string $client, string $name): array => [$name, $cell('10', $client), $cell('100', $client)],
                array_keys(self::CLIENTS),
                self::CLIENTS,
            )),
            new Paragraph(
                'Percentiles that load tells are '.Unit::Share->words($part->result->number('percentile_error'))
                    .' from the true ones at most, in the middle one of the seeds; '
                    .Unit::Share->words($part->result->number('percentile_error_worst')).' in the worst.',
            ),
        ];
    }

    /** @return list<Block> */
    private function logs(): array
    {
        $part = $this->logs->whole();

        if ($part === null) {
            return [Missing::words('How fast logs are read', $this->logs->command())];
        }

        $mega = static fn (Piece $samples): Cell => new Cell(
            Unit::Count->words(round($samples->number('median'), 1)),
            Unit::Count->words(round($samples->number('min'), 1)).' to '
                .Unit::Count->words(round($samples->number('max'), 1)),
        );

        return [new Table(['reading logs', 'MB/s', 'MB in a second of CPU', 'memory of PHP, MB'], array_map(
            static fn (string $log, string $name): array => [
                $name,
                $mega($part->figures->at('mb_per_second', $log)),
                $mega($part->figures->at('mb_per_cpu_second', $log)),
                Unit::Count->words($part->result->at('peak_mb')->number($log)),
            ],
            array_keys(self::LOGS),
            self::LOGS,
        ))];
    }

    /** @return list<Block> */
    private function durability(): array
    {
        $part = $this->durability->whole();

        if ($part === null) {
            return [Missing::words('What the levels of durability cost', $this->durability->command())];
        }

        $rows = [];

        foreach (self::LEVELS as $level => $name) {
            $cells = static fn (string $how): Cell => new Cell(
                Unit::Micros->words($part->figures->at('micros', $how, $level)->number('p50')),
                'p99 '.Unit::Micros->words($part->figures->at('micros', $how, $level)->number('p99')),
            );
            $rows[] = [$name, $cells('opened'), $cells('kept')];
        }

        return [new Table(
            ['one append, on '.$part->figures->text('filesystem'), 'the first of a request', 'from the second on'],
            $rows,
        )];
    }

    /** @return list<Block> */
    private function torture(): array
    {
        $part = $this->torture->whole();

        if ($part === null) {
            return [new Paragraph(
                'Whether anything is lost under kills and faults: not measured. `make torture` does.',
                Tone::Alert,
            )];
        }

        $rows = [];

        foreach (self::DATABASES as $database => $name) {
            $figures = $part->result->at($database);
            $bad = $figures->number('lost') + $figures->number('double') > 0.0 ? Tone::Alert : Tone::Good;
            $rows[] = [
                $name,
                ...array_map(
                    static fn (string $key): string => Unit::Count->words($figures->number($key)),
                    ['acknowledged', 'writer_kills', 'flusher_kills', 'crash_points'],
                ),
                ...array_map(
                    static fn (string $key): Cell => new Cell(Unit::Count->words($figures->number($key)), '', $bad),
                    ['lost', 'double'],
                ),
            ];
        }

        return [new Table(
            ['torture', 'acknowledged', 'writers killed', 'flushers killed', 'crash points', 'lost', 'double'],
            $rows,
        )];
    }

    private function machines(): Table
    {
        $rows = [];

        foreach ([$this->load, $this->logs, $this->durability, $this->torture] as $experiment) {
            $machine = $experiment->whole()?->machine;
            $rows[] = $machine === null
                ? [$experiment->name, '–', '–', 'not measured']
                : [$experiment->name, $machine->commit, $machine->date, $machine->words];
        }

        return new Table(['', 'commit', 'date', 'machine'], $rows);
    }
}
