<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Cron\CronExpression;
use DateTimeImmutable;
use DateTimeZone;
use Headroom\Spool\Cron;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Laravel's scheduler reads the same expressions with a library of its own. Both have to mean the same minutes.
 */
final class CronTest extends TestCase
{
    private const EXPRESSIONS = [
        '* * * * *', '*/5 * * * *', '0 8 * * *', '0 8 * * MON-FRI', '15,45 6-22/4 * * *', '0 0 1 * *', '30 2 13 * 5',
        '0 0 29 2 *',
        '0 12 31 JAN,MAR *', '59 23 * 12 7', '0 0 * * 0', '10 4 1-7 * 1',
    ];

    private const MOMENTS = [
        '2026-11-21 20:36:44', '2026-01-01 00:00:00', '2024-02-29 00:00:00', '2026-03-01 00:00:59',
        '2026-07-13 02:30:30', '2026-12-31 23:59:59',
    ];

    #[Test]
    public function it_means_the_same_minutes_as_the_scheduler(): void
    {
        foreach (['UTC', 'Europe/Vienna', 'America/New_York'] as $name) {
            $zone = new DateTimeZone($name);

            foreach ([...self::EXPRESSIONS, ...array_values(Cron::NAMES)] as $expression) {
                $cron = Cron::tryFrom($expression);
                self::assertNotNull($cron, $expression);

                foreach (self::MOMENTS as $moment) {
                    $now = new DateTimeImmutable($moment, $zone);
                    $expected = (new CronExpression($expression))->getPreviousRunDate($now, 0, true, $name)
                        ->getTimestamp();
                    self::assertSame(
                        $expected,
                        $cron->lastAt($now->getTimestamp(), $zone),
                        "{$expression} at {$moment} {$name}",
                    );
                }
            }
        }
    }

    #[Test]
    public function it_means_the_same_minutes_where_the_clocks_are_put_forward_and_back(): void
    {
        foreach ([
            'Europe/Vienna' => ['2026-03-29', '2026-10-25'],
            'America/New_York' => ['2026-03-08', '2026-11-01'],
        ] as $name => $days) {
            $zone = new DateTimeZone($name);

            foreach ($days as $day) {
                foreach ([
                    '* * * * *', '0 0 * * *', '0 8 * * *', '0 * * * *', '45 23 * * *', '0 0 1 * *',
                ] as $expression) {
                    foreach (range(0, 30) as $hour) {
                        $now = (new DateTimeImmutable("{$day} 00:00:00 UTC"))->getTimestamp() + 3600 * $hour;
                        $expected = (new CronExpression($expression))->getPreviousRunDate(
                            (new DateTimeImmutable("@{$now}"))->setTimezone($zone),
                            0,
                            true,
                            $name,
                        )->getTimestamp();
                        self::assertSame(
                            $expected,
                            Cron::tryFrom($expression)?->lastAt($now, $zone),
                            "{$expression} at {$now} {$name}",
                        );
                    }
                }
            }
        }
    }

    #[Test]
    public function laravels_names_are_laravels_expressions(): void
    {
        $schedule = new class
        {
            use \Illuminate\Console\Scheduling\ManagesFrequencies;

            public string $expression = '* * * * *';
        };

        foreach (Cron::NAMES as $name => $expression) {
            $schedule->expression = '* * * * *';
            call_user_func([$schedule, $name]);
            self::assertSame($expression, $schedule->expression, $name);
        }
    }

    #[Test]
    #[TestWith(['every now and then'])]
    #[TestWith(['* * * *'])]
    #[TestWith(['60 * * * *'])]
    #[TestWith(['* 24 * * *'])]
    #[TestWith(['* * 0 * *'])]
    #[TestWith(['*/0 * * * *'])]
    #[TestWith(['5-1 * * * *'])]
    #[TestWith(['5/15 * * * *'])]
    #[TestWith(['* * 30 2 *'])]
    #[TestWith(['* * * * * *'])]
    #[TestWith([7])]
    #[TestWith([['daily']])]
    public function a_schedule_that_is_none_is_refused_with_its_key(mixed $seen): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => ['reports' => ['sink' => 'file', 'path' => '/f', 'schedule' => $seen]],
        ]);

        try {
            $config->bucket('reports');
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            $expected = InvalidConfig::notAllowed('spool.buckets.reports.schedule', $seen, Sentence::ANY);
            Sentence::naming(["'*/5 * * * *'", ...array_keys(Cron::NAMES)], $expected, $e);
        }
    }

    #[Test]
    public function true_false_and_nothing_need_no_expression(): void
    {
        foreach ([
            [true, []],
            [true, ['schedule' => true]],
            [true, ['schedule' => '1']],
            [false, ['schedule' => false]],
            [false, ['schedule' => '0']],
        ] as [$expected, $options]) {
            $config = SpoolConfig::fromArray([
                'path' => '/b',
                'buckets' => ['a' => ['sink' => 'file', 'path' => '/f', ...$options]],
            ]);
            self::assertSame($expected, $config->bucket('a')?->schedule);
        }
    }
}
