<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Process\Programs;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Contracts\Config\Repository;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Buckets with times of their own: which flush takes them, and which leaves them alone.
 */
#[Group('smoke')]
#[Group('snapshot')]
final class ScheduleTest extends TestCase
{
    private Spool $spool;

    private ?ScratchApplication $app = null;

    protected function setUp(): void
    {
        $this->spool = new Spool([
            'api-events' => ['sink' => 'database', 'table' => 'api_events'],
            'reports' => ['sink' => 'database', 'table' => 'reports', 'schedule' => '*/10 * * * *'],
            'by-hand' => ['sink' => 'database', 'table' => 'by_hand', 'schedule' => false],
        ]);
        $this->spool->createEvents('reports');
        $this->spool->createEvents('by_hand');
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
        $this->app?->remove();
    }

    #[Test]
    public function the_flush_of_each_minute_leaves_out_buckets_with_times_of_their_own(): void
    {
        $this->addToEach();

        self::assertSame(0, $this->spool->run(FlushCommand::class, ['--scheduled' => true])->exit);
        self::assertSame([1, 0, 0], $this->arrived());

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame([1, 1, 1], $this->arrived());

        $both = $this->spool->run(FlushCommand::class, ['--scheduled' => true, 'bucket' => 'reports']);
        self::assertSame(2, $both->exit);
        Sentence::assertNames(['--scheduled'], $both->err);
        Snapshot::assertPrinted('spool:flush', 'a bucket is named beside --scheduled', $both->err);
    }

    #[Test]
    public function a_flush_that_failed_at_its_time_is_tried_again_each_minute(): void
    {
        $this->spool->add(3, 'reports');
        $this->spool->database()->statement('alter table reports rename to elsewhere');
        self::assertSame(1, $this->spool->run(FlushCommand::class, ['bucket' => 'reports'])->exit);
        $this->spool->database()->statement('alter table elsewhere rename to reports');
        $later = new SteppingClock;
        $later->sleep(3_600_000_000);

        self::assertSame(
            0,
            $this->spool->run(FlushCommand::class, ['--scheduled' => true], $this->spool->runtime($later))->exit,
        );
        self::assertSame(3, $this->spool->count('reports'));
    }

    #[Test]
    public function events_left_by_a_limit_are_flushed_in_the_next_minute(): void
    {
        $this->spool->add(3, 'reports');
        $this->spool->run(FlushCommand::class, ['bucket' => 'reports', '--limit' => '1']);
        self::assertSame(1, $this->spool->count('reports'));

        $this->spool->run(FlushCommand::class, ['--scheduled' => true]);
        self::assertSame(3, $this->spool->count('reports'));
    }

    #[Test]
    public function a_worker_keeps_to_the_times_and_takes_buckets_without_any(): void
    {
        $this->addToEach();
        $arrivedAt = null;
        $clock = null;
        $clock = new SteppingClock(function (int $sleeps) use (&$clock, &$arrivedAt): void {
            self::assertInstanceOf(SteppingClock::class, $clock);

            if ($sleeps === 1) {
                self::assertSame([1, 1], [$this->spool->count(), $this->spool->count('by_hand')]);
            }

            $arrivedAt ??= $this->spool->count('reports') === 1 ? $clock->micros() : null;
        });
        $start = $clock->micros();
        $this->spool->run(WorkCommand::class, ['--max-time' => '602'], $this->spool->runtime($clock));

        self::assertIsInt($arrivedAt);
        // Within the round that follows the tenth minute; a first round that was in that minute
        // by chance does not count.
        self::assertLessThanOrEqual(2_000_000, $arrivedAt % 600_000_000);
        self::assertGreaterThan($start, $arrivedAt);
    }

    #[Test]
    public function a_missed_time_is_made_up_for_by_the_flush_of_each_minute(): void
    {
        $this->spool->runtime(new SetClock(1_700_000_000_000_000))
            ->buffer()
            ->bucket('reports')
            ->add(['event' => 'long ago']);
        self::assertSame(0, $this->spool->run(FlushCommand::class, ['--scheduled' => true])->exit);
        self::assertSame(1, $this->spool->count('reports'));

        $this->spool->add(1, 'reports');
        $this->spool->run(FlushCommand::class, ['--scheduled' => true]);
        self::assertSame(1, $this->spool->count('reports'), 'Its time is still to come.');
    }

    #[Test]
    public function a_worker_that_was_restarted_over_a_time_makes_up_for_it(): void
    {
        $this->spool->runtime(new SetClock(1_700_000_000_000_000))
            ->buffer()
            ->bucket('reports')
            ->add(['event' => 'long ago']);
        $this->spool->run(WorkCommand::class, ['--max-time' => '2'], $this->spool->runtime(new SteppingClock));

        self::assertSame(1, $this->spool->count('reports'));
    }

    /** 1,700,000,400 is a tenth minute. */
    #[Test]
    public function a_worker_that_is_there_again_seconds_after_a_time_makes_up_for_it(): void
    {
        $this->spool->runtime(new SetClock(1_700_000_399_000_000))
            ->buffer()
            ->bucket('reports')
            ->add(['event' => 'just before']);
        $this->spool->run(
            WorkCommand::class,
            ['--max-time' => '2'],
            $this->spool->runtime(new SetClock(1_700_000_402_000_000)),
        );
        self::assertSame(1, $this->spool->count('reports'));

        $this->spool->runtime(new SetClock(1_700_000_403_000_000))
            ->buffer()
            ->bucket('reports')
            ->add(['event' => 'just after']);
        $this->spool->run(
            WorkCommand::class,
            ['--max-time' => '2'],
            $this->spool->runtime(new SetClock(1_700_000_404_000_000)),
        );
        self::assertSame(1, $this->spool->count('reports'), 'Its time is still to come.');
    }

    /** On this day the clocks of Vienna skip the hour from 2:00 to 3:00. */
    #[Test]
    public function a_time_that_the_clocks_skip_comes_an_hour_later(): void
    {
        $zone = date_default_timezone_get();
        $this->spool->buckets['reports'] = [
            'sink' => 'database',
            'table' => 'reports',
            'schedule' => '30 2 * * *',
        ];

        try {
            date_default_timezone_set('Europe/Vienna');
            $this->spool->runtime(self::at('2026-03-29 01:59:00 CET'))
                ->buffer()
                ->bucket('reports')
                ->add(['event' => 'a']);
            $this->spool->run(
                WorkCommand::class,
                ['--max-time' => '2'],
                $this->spool->runtime(self::at('2026-03-29 03:29:50 CEST')),
            );
            self::assertSame(0, $this->spool->count('reports'));

            $this->spool->run(
                WorkCommand::class,
                ['--max-time' => '2'],
                $this->spool->runtime(self::at('2026-03-29 03:30:01 CEST')),
            );
            self::assertSame(1, $this->spool->count('reports'));
        } finally {
            date_default_timezone_set($zone);
        }
    }

    private static function at(string $time): SetClock
    {
        return new SetClock(1_000_000 * (new DateTimeImmutable($time))->getTimestamp());
    }

    #[Test]
    public function a_worker_that_is_to_stop_when_all_is_delivered_waits_for_no_time(): void
    {
        $this->addToEach();
        $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true]);

        self::assertSame([1, 1, 1], $this->arrived());
    }

    #[Test]
    public function health_waits_as_long_as_the_times_of_a_bucket_let_it(): void
    {
        $this->spool->buckets['reports'] = [
            'sink' => 'database',
            'table' => 'reports',
            'schedule' => '0 0 1 '.((int) date('n', (int) filemtime($this->spool->file('database.sqlite'))) > 6 ? 3 : 9)
                .' *',
        ];
        $this->addToEach();
        $later = new SteppingClock;
        $later->sleep(301_000_000);
        $late = array_column((new Health($this->spool->runtime($later)))->findings(), 'subject');
        // The times of the other one are months away.
        self::assertSame(['bucket api-events', 'bucket by-hand'], $late);

        $later->sleep(366 * 86_400_000_000);
        $late = array_column((new Health($this->spool->runtime($later)))->findings(), 'subject');
        self::assertContains('bucket reports', $late);
    }

    #[Test, Group('day-1')]
    public function the_schedule_lists_the_common_flush_and_each_bucket_with_its_own_times(): void
    {
        $this->app = $this->application("[
            'api-events' => ['sink' => 'file', 'path' => storage_path('a')],
            'reports' => ['sink' => 'file', 'path' => storage_path('b'), 'schedule' => '0 8 * * 1-5'],
            'calls' => ['sink' => 'file', 'path' => storage_path('c'), 'schedule' => 'everyFiveMinutes'],
            'by-hand' => ['sink' => 'file', 'path' => storage_path('d'), 'schedule' => false],
            'wrong' => ['sink' => 'file', 'path' => storage_path('e'), 'schedule' => 'now and then'],
        ]");
        $list = $this->app->artisan('schedule:list')->out;

        self::assertMatchesRegularExpression('~\* +\* +\* +\* +\* +php artisan spool:flush --scheduled~', $list);
        self::assertMatchesRegularExpression('~0 +8 +\* +\* +1-5 +php artisan spool:flush reports~', $list);
        self::assertMatchesRegularExpression('~\*/5 +\* +\* +\* +\* +php artisan spool:flush calls~', $list);
        self::assertSame(3, substr_count($list, 'spool:flush'), $list);
        $about = $this->app->artisan('about', '--only=headroom')->out;
        self::assertSame(1, preg_match('/\.{2,} ([^\d\n]+ 2 [^\d\n]+)$/m', $about, $schedule), $about);
        Snapshot::assertPrinted('about', 'two buckets have times of their own', trim($schedule[1]));
        $this->app->artisan('app:buffer', '1', 'wrong');
        $flushed = $this->app->artisan('spool:flush', '--scheduled');
        Sentence::assertNames(['spool.buckets.wrong.schedule', "'now and then'"], $flushed->err);
    }

    #[Test]
    public function a_task_in_routes_console_lets_a_test_have_its_own_directory(): void
    {
        $on = OnWorkbench::with(WorkbenchDatabase::Sqlite);

        try {
            // As Schedule::call() in routes/console.php does while the application boots, before any setUp() goes on.
            $on->workbench->app->make(Schedule::class);
            $own = $on->workbench->storage.'/of-this-test';
            $on->workbench->app->make(Repository::class)->set('spool.path', $own);

            self::assertSame($own, $on->workbench->app->make(SpoolServices::class)->config()->path);
        } finally {
            $on->shut();
        }
    }

    #[Test]
    public function with_no_bucket_left_for_it_there_is_no_common_flush(): void
    {
        $this->app = $this->application(
            "['by-hand' => ['sink' => 'file', 'path' => storage_path('d'), 'schedule' => false]]",
        );

        self::assertStringNotContainsString('spool:flush', $this->app->artisan('schedule:list')->out);
    }

    #[Test]
    public function where_no_process_can_be_started_the_scheduler_runs_each_at_its_times_itself(): void
    {
        $this->app = $this->application("[
            'api-events' => ['sink' => 'file', 'path' => storage_path('a')],
            'calls' => ['sink' => 'file', 'path' => storage_path('c'), 'schedule' => 'everyMinute'],
            'yearly' => ['sink' => 'file', 'path' => storage_path('y'), 'schedule' => '0 0 29 2 1'],
        ]");

        foreach (['api-events', 'calls', 'yearly'] as $bucket) {
            $this->app->artisan('app:buffer', '1', $bucket);
        }

        // Code that opcache compiled for other tests expects proc_open() to exist.
        $ran = $this->app->run([
            Programs::php(),
            '-d',
            'opcache.enable_cli=0',
            '-d',
            'disable_functions=proc_open',
            'artisan',
            'schedule:run',
        ]);
        self::assertSame(0, $ran->exit, $ran->all());
        self::assertFileExists($this->app->path('storage/a'));
        self::assertFileExists($this->app->path('storage/c'));
        self::assertFileDoesNotExist($this->app->path('storage/y'));
    }

    private function application(string $buckets): ScratchApplication
    {
        $app = ScratchApplication::onThisCheckout();
        $app->config('spool', "['path' => storage_path('app/private/buffer'), 'buckets' => {$buckets}]");

        return $app;
    }

    private function addToEach(): void
    {
        foreach (['api-events', 'reports', 'by-hand'] as $bucket) {
            $this->spool->add(1, $bucket);
        }
    }

    /** @return list<int> */
    private function arrived(): array
    {
        return [$this->spool->count(), $this->spool->count('reports'), $this->spool->count('by_hand')];
    }
}
