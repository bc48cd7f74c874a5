<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Queues\Findings;
use Headroom\Report\Format;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;

/**
 * What an article of 2017 measured, jobs per second in the mean of ten runs of 10,000 empty jobs with 10 workers: on
 * Amazon's c4.large (two threads at 2.9 GHz) and on a small virtual server (one CPU at 1.7 GHz), with Laravel 5.5, PHP
 * 7.1, MySQL 5.7, PostgreSQL 9.5, Redis 3.0 and beanstalkd 1.10.
 */
final readonly class Article
{
    private const ROWS = [
        'beanstalkd' => ['Beanstalkd', 1109.83, 2600.96],
        'redis' => ['Redis', 872.47, 1905.53],
        'database:mariadb' => ['DB-mysql', 190.47, 452.04],
        'database:pgsql' => ['DB-pgsql', 206.39, 273.13],
        'database:sqlite' => null,
    ];

    /** @return array<string, Reference> those of the machine that is more like ours, by variant */
    public static function references(): array
    {
        return array_map(
            static fn (array $row): Reference => new Reference($row[2], 'the article, c4.large'),
            array_filter(self::ROWS, is_array(...)),
        );
    }

    public static function section(Findings $findings): Section
    {
        $rates = $labels = [];

        foreach ($findings->all as $finding) {
            $rates[$finding->variant->name] = $finding->rates();
            $labels[$finding->variant->name] = $finding->variant->label();
        }

        $rows = [];

        foreach (self::ROWS as $name => $row) {
            $ours = $rates[$name] ?? null;
            $rows[] = [
                new Cell($labels[$name] ?? $name, $row === null ? '' : "{$row[0]} there"),
                $row === null ? '–' : number_format($row[1], 2),
                $row === null ? '–' : number_format($row[2], 2),
                $ours === null
                    ? 'no valid run'
                    : new Cell(
                        Format::significant($ours->median()),
                        'quartiles '.Format::significant($ours->quantile(0.25)).' to '
                            .Format::significant($ours->quantile(0.75)),
                    ),
            ];
        }

        return new Section('article', "The article's table, made once more", [
            new Table(['jobs per second', 'Forpsi, 1 CPU', 'c4.large, 2 CPUs', 'here, 2 CPUs'], $rows),
            new BulletList([
                'Another machine, another decade of PHP, Laravel and servers: what can be compared is the order of the'
                    .' drivers, not their figures.',
                'The article timed a run by the depth of the queue, looked at twice a second.'
                    .' Its ten runs with beanstalkd on c4.large are all either about 2,494 or about 2,849 jobs/s,'
                    .' since a run ends at the next look; a stamp of the last job has no such steps.',
                "Its database driver was changed so that a job no longer ran twice: Laravel's deleted it in a"
                    .' transaction that a deadlock could undo. Laravel takes jobs with SKIP LOCKED since, where the'
                    .' server has it, and here its own driver is measured.',
                'Its drivers do not keep jobs equally well, and neither do those here: see what each keeps.',
            ]),
        ]);
    }
}
