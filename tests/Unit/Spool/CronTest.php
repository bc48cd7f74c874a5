<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Spool\Cron;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class CronTest extends TestCase
{
    #[Test]
    #[TestWith(['* * * * *', '2026-11-21 20:36:44 UTC', '2026-11-21 20:36 UTC'])]
    #[TestWith(['*/5 * * * *', '2026-11-21 20:36:44 UTC', '2026-11-21 20:35 UTC'])]
    #[TestWith(['0 0 1 1 *', '2026-01-01 00:00:00 UTC', '2026-01-01 00:00 UTC'])]
    #[TestWith(['0 8 * * MON-FRI', '2026-11-21 20:36:44 UTC', '2026-11-20 08:00 UTC'])]
    #[TestWith(['15,45 6-22/4 * * *', '2026-11-21 20:36:44 UTC', '2026-11-21 18:45 UTC'])]
    #[TestWith(['30 2 13 * 5', '2026-11-21 20:36:44 UTC', '2026-11-20 02:30 UTC'])]
    #[TestWith(['10 4 1-7 * 1', '2026-11-21 20:36:44 UTC', '2026-11-16 04:10 UTC'])]
    #[TestWith(['0 0 29 2 *', '2026-11-21 20:36:44 UTC', '2024-02-29 00:00 UTC'])]
    #[TestWith(['0 12 31 JAN,MAR *', '2026-11-21 20:36:44 UTC', '2026-03-31 12:00 UTC'])]
    #[TestWith(['59 23 * 12 7', '2026-11-21 20:36:44 UTC', '2025-12-28 23:59 UTC'])]
    #[TestWith(['0 0 L * *', '2026-11-21 20:36:44 UTC', '2026-10-31 00:00 UTC'])]
    #[TestWith(['@daily', '2026-11-21 20:36:44 UTC', '2026-11-21 00:00 UTC'])]
    #[TestWith(['everyFourHours', '2026-11-21 20:36:44 UTC', '2026-11-21 20:00 UTC'])]
    #[TestWith(['0 8 * * *', '2026-07-13 05:59:59 UTC', '2026-07-12 08:00 Europe/Vienna'])]
    #[TestWith(['0 8 * * *', '2026-07-13 06:00:00 UTC', '2026-07-13 08:00 Europe/Vienna'])]
    public function the_last_of_its_times_is_found(string $schedule, string $now, string $expected): void
    {
        self::assertLastAt($schedule, $now, $expected);
    }

    /** The clocks skip the hour from 2:00 to 3:00. */
    #[Test]
    #[TestWith(['30 2 * * *', '2026-03-29 03:29 CEST', '2026-03-28 02:30 CET'])]
    #[TestWith(['30 2 * * *', '2026-03-29 03:30 CEST', '2026-03-29 03:30 CEST'])]
    #[TestWith(['30 2 * * *', '2026-03-29 12:00 CEST', '2026-03-29 03:30 CEST'])]
    #[TestWith(['30 2 * * *', '2026-03-30 02:30 CEST', '2026-03-30 02:30 CEST'])]
    #[TestWith(['0 3 * * *', '2026-03-29 01:59 CET', '2026-03-28 03:00 CET'])]
    #[TestWith(['0 3 * * *', '2026-03-29 03:00 CEST', '2026-03-29 03:00 CEST'])]
    #[TestWith(['0 8 * * *', '2026-03-29 08:00 CEST', '2026-03-29 08:00 CEST'])]
    #[TestWith(['*/30 * * * *', '2026-03-29 03:29 CEST', '2026-03-29 03:00 CEST'])]
    public function a_time_that_the_clocks_skip_comes_an_hour_later(
        string $schedule,
        string $now,
        string $expected,
    ): void {
        self::assertLastAt($schedule, $now, $expected, 'Europe/Vienna');
    }

    /** After 2:59 the clocks show 2:00 again. */
    #[Test]
    #[TestWith(['30 2 * * *', '2026-10-25 02:29 CEST', '2026-10-24 02:30 CEST'])]
    #[TestWith(['30 2 * * *', '2026-10-25 02:30 CEST', '2026-10-25 02:30 CEST'])]
    #[TestWith(['30 2 * * *', '2026-10-25 02:29 CET', '2026-10-25 02:30 CEST'])]
    #[TestWith(['30 2 * * *', '2026-10-25 02:30 CET', '2026-10-25 02:30 CET'])]
    #[TestWith(['30 2 * * *', '2026-10-26 02:29 CET', '2026-10-25 02:30 CET'])]
    #[TestWith(['0 3 * * *', '2026-10-25 02:59 CET', '2026-10-24 03:00 CEST'])]
    #[TestWith(['0 8 * * *', '2026-10-25 08:00 CET', '2026-10-25 08:00 CET'])]
    #[TestWith(['*/30 * * * *', '2026-10-25 02:10 CET', '2026-10-25 02:00 CET'])]
    public function a_time_that_the_clocks_repeat_comes_twice(string $schedule, string $now, string $expected): void
    {
        self::assertLastAt($schedule, $now, $expected, 'Europe/Vienna');
    }

    #[Test]
    public function a_time_that_is_decades_away_counts_as_never(): void
    {
        self::assertLastAt('0 0 * 2 MON#5', '2016-03-01 00:00 UTC', '2016-02-29 00:00 UTC');
        self::assertLastAt('0 0 * 2 MON#5', '2043-12-31 00:00 UTC', '1970-01-01 00:00 UTC');
    }

    private static function assertLastAt(string $schedule, string $now, string $expected, ?string $zone = null): void
    {
        $zone ??= str_contains($expected, '/') ? substr($expected, 17) : 'UTC';
        $last = Cron::tryFrom($schedule)?->lastAt(
            (new DateTimeImmutable($now))->getTimestamp(),
            new DateTimeZone($zone),
        );

        self::assertNotNull($last, $schedule);
        self::assertSame(
            (new DateTimeImmutable($expected))->format(DATE_ATOM),
            (new DateTimeImmutable("@{$last}"))->setTimezone((new DateTimeImmutable($expected))->getTimezone())
                ->format(DATE_ATOM),
        );
    }

    #[Test]
    public function without_the_package_the_error_names_the_command_and_nothing_else_needs_it(): void
    {
        $program = sprintf(<<<'CODE'
            spl_autoload_register(static function (string $class): void {
                $file = '%s/src/'.str_replace('\\', '/', substr($class, strlen('Headroom\\'))).'.php';
                str_starts_with($class, 'Headroom\\') && is_file($file) ? require $file : null;
            });
            foreach ([true, 'hourly'] as $schedule) {
                try {
                    $bucket = Headroom\Spool\SpoolConfig::fromArray([
                        'path' => '/b',
                        'buckets' => ['a' => ['sink' => 'file', 'path' => '/f', 'schedule' => $schedule]],
                    ])->bucket('a');
                    echo json_encode($bucket->schedule), "\n";
                } catch (Headroom\Support\InvalidConfig $e) {
                    echo "{$e->key} {$e->getMessage()}\n";
                }
            }
            CODE, Files::root());
        $process = new Process([PHP_BINARY, '-r', $program]);
        $process->mustRun();
        $lines = explode("\n", trim($process->getOutput()));

        self::assertSame('true', $lines[0]);
        self::assertStringStartsWith('spool.buckets.a.schedule ', $lines[1] ?? '');
        self::assertStringContainsString('`composer require '.Cron::PACKAGE.'`', $lines[1] ?? '');
        self::assertCount(2, $lines);
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
    #[TestWith(['* * 31 4,6 *'])]
    #[TestWith(['* * * * SUN-TUE'])]
    #[TestWith(['0 22-2 * * *'])]
    #[TestWith(['* * * JAN-MAR/2 *'])]
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
