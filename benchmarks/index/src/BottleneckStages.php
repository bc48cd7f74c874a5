<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The article's steps with ours beside them.
 */
final readonly class BottleneckStages
{
    /** How long the short form takes, for the closing. */
    public const QUICK = 'about seven minutes, three of the stages';

    /**
     * By the name that a stage has here: title, errors and mean of the article (null where it tells none),
     * and how it measured.
     */
    private const ARTICLE = [
        'baseline' => ['Baseline', 0.5051, 9_929, '1,750 samples, 350 users'],
        'packages' => ['Packages updated', null, null, '"no luck", no figures'],
        'keepalive' => ['nginx keeps connections, 40 processes', 0.8486, 566, '1,750 samples, 350 users'],
        'limits' => ['Larger backlog and limits', 0.4867, 7_917, '7,000 cycles'],
        'cpus' => ['More CPU', 0.1527, 12_350, 'roughly 6,000 samples; 2 cores to 8'],
        'files' => ['Session and cache on files', null, null, 'of this or of the next, the text leaves open'],
        'persistent' => [
            'Persistent connections to Redis', 0.0003, 3_730, 'of this or of the one before, the text leaves open',
        ],
    ];

    public function __construct(private Experiment $experiment) {}

    public function errors(string $stage): ?float
    {
        return $this->stage($stage)?->at('load')->number('error_rate');
    }

    public function grid(): Table
    {
        return new Table(
            [
                'stage', 'article: errors', 'article: mean', 'here: errors', 'here: mean', 'here: CPUs busy',
                'here: new Redis connections', 'here: the doctor named',
            ],
            array_map($this->row(...), array_keys(self::ARTICLE)),
        );
    }

    public function chart(): BarChart
    {
        return new BarChart(
            'bottleneck-errors',
            'Requests that failed',
            'Shorter is better. The article, another machine, beside ours.',
            array_column(self::ARTICLE, 0),
            Unit::Share,
            [
                new Bars('the article', array_column(self::ARTICLE, 1)),
                new Bars('here', array_map($this->errors(...), array_keys(self::ARTICLE))),
            ],
            isHorizontal: true,
        );
    }

    /** What the article says in words. */
    public function besides(): Table
    {
        $missing = Missing::cell($this->experiment->command('stages'));
        [$before, $after] = [$this->stage('baseline')?->at('load'), $this->stage('persistent')?->at('load')];
        $change = static fn (string $key, Unit $unit): Cell => $before === null || $after === null
            ? $missing
            : new Cell("{$unit->words($before->number($key))}, then {$unit->words($after->number($key))}");
        $seconds = $this->experiment->part('stages')?->result->number('seconds_to_cause');

        return new Table(['', 'article', 'here'], [
            [
                'Time to the cause',
                'almost 4 days, of a team',
                $seconds === null
                    ? $missing
                    : new Cell(Unit::Seconds->words($seconds), 'the longest of all stages, of one command'),
            ],
            ['Clients of Redis, persistent', 'roughly doubled', $change('redis_clients_most', Unit::Count)],
            ['Throughput, persistent', 'tripled', $change('succeeded_per_second', Unit::PerSecond)],
            ['Users of the live site', '3,000, then 10,000', Missing::never('no live site here')],
        ]);
    }

    /** @return list<string|Cell> */
    private function row(string $name): array
    {
        [$title, $errors, $mean, $how] = self::ARTICLE[$name];
        $theirs = [
            new Cell($errors === null ? '–' : number_format(100 * $errors, 2).' %', $how),
            $mean === null ? '–' : number_format($mean).' ms',
        ];
        $stage = $this->stage($name);

        return [
            $title,
            ...$theirs,
            ...($stage === null
                ? Missing::cells(Missing::cell($this->experiment->command('stages')), 5)
                : self::ours($stage)),
        ];
    }

    /** @return list<Cell> */
    private static function ours(Piece $stage): array
    {
        $load = $stage->at('load');
        $judged = $stage->at('judged');

        return [
            new Cell(
                Unit::Share->words($load->number('error_rate')),
                Unit::Count->words($load->number('requests')).' requests',
            ),
            new Cell(
                Unit::Millis->words($load->numberOrNull('mean_ms')),
                'p95 '.Unit::Millis->words($load->numberOrNull('p95_ms')),
            ),
            new Cell(Unit::Share->words($load->numberOrNull('cpu_share'))),
            new Cell(Unit::PerSecond->words($load->numberOrNull('redis_connections_per_second'))),
            new Cell(
                $judged->text('words'),
                $judged->isTrue('right') ? 'right' : 'wrong',
                $judged->isTrue('right') ? Tone::Good : Tone::Alert,
            ),
        ];
    }

    private function stage(string $name): ?Piece
    {
        return $this->experiment->part('stages')?->figures->row('stages', 'stage', $name);
    }
}
