<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Unit;

/**
 * Article 3: how many jobs a second the queues of Laravel do.
 */
final readonly class Queues implements Chapter
{
    private const ID = 'queues';

    private const TITLE = '3. Queue drivers';

    private const NOT_SAID = [
        'Which queue is best: a Redis that loses the last second and a database that syncs each job do unlike work.'
            .' Where jobs are kept stands beside each figure, and the settings in the results file;'
            ." they are each server's defaults.",
        'What your jobs take: these are empty, so that what is measured is taking and deleting them.'
            .' A real job is most of its own time.',
        'What a network costs: servers, workers and stopwatch share the same cores and talk over loopback,'
            .' where a round trip is a few microseconds.',
        "The article's machines: two virtual servers with older software (Laravel 5.5, PHP 7.1, MySQL 5.7, Redis 3.0),"
            .' whose database queue was patched against jobs that run twice. Here it is Laravel as it is.',
        'MySQL: MariaDB stands in its place. Beanstalkd is reached through a client of the test tools where'
            .' pda/pheanstalk is not installed; the notes of its results say so.',
    ];

    public function __construct(private Experiment $experiment) {}

    public function headline(): Headline
    {
        $theirs = 'C4.large: beanstalkd 2,601/s, Redis 1,906/s, MySQL 452/s, PostgreSQL 273/s';
        $tables = new QueueTables($this->experiment);

        if ($this->experiment->part('empty') === null) {
            return Headline::missing(self::TITLE, self::ID, $theirs, $this->experiment->command('empty'));
        }

        [$ours, $compared, $isClean] = [[], [], true];

        foreach ([
            'beanstalkd' => 'beanstalkd',
            'redis' => 'Redis',
            'database:mariadb' => 'MariaDB',
            'database:pgsql' => 'PostgreSQL',
        ] as $variant => $name) {
            $finding = $tables->finding($variant);
            $ours[] = "{$name} ".match (true) {
                $finding === null => 'not measured',
                $finding->rate === null => 'no valid run',
                default => Unit::PerSecond->words($finding->rate),
            };
            $compared[] = $finding?->times(QueueTables::ARTICLE[$variant][2]) ?? '–';
            $isClean = $isClean && $finding !== null && $finding->isClean();
        }

        return Headline::of(
            self::TITLE,
            self::ID,
            $theirs,
            implode(', ', $ours),
            implode(', ', $compared),
            'aim every run valid, 0 lost, 0 double',
            $isClean,
        );
    }

    public function section(): Section
    {
        $tables = new QueueTables($this->experiment);

        return new Section(self::ID, self::TITLE, [
            new Paragraph(
                'The article: The practical benchmark of classic Laravel queueing mechanisms. Ten workers wait,'
                    .' jobs are queued while they do, and all are let go at once: how many jobs a second are done?',
            ),
            $tables->grid(),
            Paragraph::note(
                "The article's machines: Forpsi, 1 virtual CPU (Xeon E5-2650L v4, 1.70 GHz), 1 GB; Amazon C4.large,"
                    .' 2 virtual CPUs (Xeon E5-2666 v3, 2.90 GHz), 4 GB; both Ubuntu 16.04, PHP 7.1, Laravel 5.5,'
                    .' MySQL 5.7, PostgreSQL 9.5, Redis 3.0, Beanstalkd 1.10; the year is not told.'
                    .' It gives means of 10 runs of 10,000 jobs. Here: medians; small below them the quartiles'
                    .' of the runs.',
            ),
            ...($this->experiment->part('empty') === null ? [] : [$tables->chart()]),
            (new QueueScenarios($this->experiment))->block(),
            ...(new Closing(
                $this->experiment,
                'two and a half hours, estimated of its parts',
                'some minutes',
                self::NOT_SAID,
                true,
            ))->blocks(),
        ]);
    }
}
