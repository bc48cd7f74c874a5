<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Box;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Unit;

/**
 * The article's two tables with ours beside them.
 */
final readonly class QueueTables
{
    /**
     * By the name that it has here: title, jobs per second of the article's small server (Forpsi) and of its C4.large.
     */
    public const ARTICLE = [
        'beanstalkd' => ['Beanstalkd', 1109.83, 2600.96],
        'redis' => ['Redis', 872.47, 1905.53],
        'database:mariadb' => ['DB-mysql; here MariaDB', 190.47, 452.04],
        'database:pgsql' => ['DB-pgsql', 206.39, 273.13],
        'database:sqlite' => ['SQLite', null, null],
    ];

    public function __construct(private Experiment $experiment) {}

    public function finding(string $variant): ?QueueFinding
    {
        $row = $this->experiment->part('empty')?->figures->row('findings', 'variant', $variant);

        return $row === null ? null : QueueFinding::of($row);
    }

    public function grid(): Table
    {
        return new Table(
            [
                'empty jobs, 10 workers', 'article: Forpsi', 'article: C4.large', 'here: jobs/s', 'here / C4.large',
                'valid runs', 'lost, double', 'spread', 'jobs are',
            ],
            array_map($this->row(...), array_keys(self::ARTICLE)),
        );
    }

    public function chart(): BoxChart
    {
        $boxes = [];

        foreach (self::ARTICLE as $variant => [$title, , $large]) {
            $finding = $this->finding($variant);
            $samples = $finding?->samples();
            $title .= $finding?->alone();
            $reference = $large === null ? null : new Reference($large, 'C4.large, the article');
            $boxes[] = match (true) {
                $samples === null => Box::missing($title, 'not measured', $reference),
                $samples === [] => Box::missing($title, 'no run was valid', $reference),
                default => Box::ofSamples($title, $samples, $reference),
            };
        }

        return new BoxChart(
            'queues-jobs',
            'Jobs per second',
            'A point is a run; the diamond is another machine. What is unlike in durability is not ranked by this.',
            Unit::PerSecond,
            $boxes,
        );
    }

    /** @return list<string|Cell> */
    private function row(string $variant): array
    {
        [$title, $small, $large] = self::ARTICLE[$variant];
        $finding = $this->finding($variant);
        $theirs = static fn (?float $rate): string => $rate === null ? '–' : number_format($rate, 2);

        return ["{$title}{$finding?->alone()}", $theirs($small), $theirs($large), ...($finding === null
            ? Missing::cells(Missing::cell($this->experiment->command('empty')), 6)
            : [
                $finding->jobs(),
                $finding->times($large),
                $finding->runs(),
                $finding->account(),
                $finding->spread(),
                $finding->durability(),
            ])];
    }
}
