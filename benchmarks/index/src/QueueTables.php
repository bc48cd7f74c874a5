<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Box;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Grid;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Unit;

/**
 * The article's two tables with ours beside them, and what it has not.
 */
final readonly class QueueTables
{
    /** By the name that it has here: title, jobs per second of the article's small server (Forpsi) and of its C4.large. */
    public const ARTICLE = [
        'beanstalkd' => ['Beanstalkd', 1109.83, 2600.96],
        'redis' => ['Redis', 872.47, 1905.53],
        'database:mariadb' => ['DB-mysql; here MariaDB', 190.47, 452.04],
        'database:pgsql' => ['DB-pgsql', 206.39, 273.13],
        'database:sqlite' => ['SQLite', null, null],
    ];

    private const OTHERS = [
        'slow' => 'A job longer than retry_after',
        'deep' => 'Very many that wait',
        'payload' => 'Sizes of the payload',
        'arrivals' => 'Jobs that come while others are done',
        'persistent' => 'Connections to Redis, kept or not',
        'cache' => 'Cache store of the workers',
    ];

    public function __construct(private Experiment $experiment) {}

    public function finding(string $variant): ?QueueFinding
    {
        $row = $this->experiment->part('empty')?->figures->row('findings', 'variant', $variant);

        return $row === null ? null : QueueFinding::of($row);
    }

    public function grid(): Grid
    {
        return new Grid(
            ['empty jobs, 10 workers', 'article: Forpsi', 'article: C4.large', 'here: jobs/s', 'here / C4.large', 'valid runs', 'lost, double', 'spread', 'jobs are'],
            array_map($this->row(...), array_keys(self::ARTICLE)),
        );
    }

    public function chart(): BoxChart
    {
        $boxes = [];

        foreach (self::ARTICLE as $variant => [$title, , $large]) {
            $samples = $this->finding($variant)?->samples();
            $reference = $large === null ? null : new Reference($large, 'C4.large, the article');
            $boxes[] = match (true) {
                $samples === null => Box::missing($title, 'not measured', $reference),
                $samples === [] => Box::missing($title, 'no run was valid', $reference),
                default => Box::ofSamples($title, $samples, $reference),
            };
        }

        return new BoxChart('queues-jobs', 'Jobs per second', 'A point is a run; the diamond is another machine. What is unlike in durability is not ranked by this.', Unit::PerSecond, $boxes);
    }

    /** @return list<Block> */
    public function others(): array
    {
        $rows = [];

        foreach (self::OTHERS as $name => $title) {
            $part = $this->experiment->part($name);
            $rows = [...$rows, ...($part === null ? [[$title, ...Missing::cells(Missing::cell($this->experiment->command($name)), 4)]] : self::findings($title, $part))];
        }

        return [new Details('What the article did not measure', [new Grid(['', 'queue', 'jobs/s', 'valid runs', 'lost, double'], $rows), ...$this->byHand()])];
    }

    /** @return list<Block> whether somebody who starts workers by hand sees the same */
    private function byHand(): array
    {
        $part = $this->experiment->part('by-hand');

        if ($part === null) {
            return [Missing::words('Workers that were started by hand', $this->experiment->command('by-hand'))];
        }

        return [new Grid(['workers started by hand', 'by hand / as above', 'inside the quartiles by hand', 'a difference is seen'], array_map(static fn (Piece $row): array => [
            $row->text('driver'),
            new Cell(Unit::Times->words($row->at('compared')->number('ratio')), Unit::Times->words($row->at('compared')->number('p25')).' to '.Unit::Times->words($row->at('compared')->number('p75'))),
            $row->isTrue('within_iqr') ? 'yes' : 'no',
            $row->isTrue('difference_seen') ? 'yes' : 'no',
        ], $part->figures->rows('rows', 'driver')))];
    }

    /** @return list<string|Cell> */
    private function row(string $variant): array
    {
        [$title, $small, $large] = self::ARTICLE[$variant];
        $finding = $this->finding($variant);
        $theirs = static fn (?float $rate): string => $rate === null ? '–' : number_format($rate, 2);

        return [$title, $theirs($small), $theirs($large), ...($finding === null
            ? Missing::cells(Missing::cell($this->experiment->command('empty')), 6)
            : [$finding->jobs(), $finding->times($large), $finding->runs(), $finding->account(), $finding->spread(), $finding->durability()])];
    }

    /** @return list<list<string|Cell>> */
    private static function findings(string $title, Part $part): array
    {
        return array_map(static function (Piece $figures) use ($title): array {
            $finding = QueueFinding::of($figures);

            return [$title, $finding->variant, $finding->jobs(), $finding->runs(), $finding->account()];
        }, $part->figures->rows('findings', 'variant'));
    }
}
