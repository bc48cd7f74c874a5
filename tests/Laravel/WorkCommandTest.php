<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\Position;
use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Tester\CommandTester;

#[Group('snapshot')]
final class WorkCommandTest extends SpoolTestCase
{
    #[Test]
    public function it_delivers_what_comes_and_stops_when_a_round_finds_nothing(): void
    {
        $this->spool->add(2);
        $clock = new SteppingClock(function (int $sleeps): void {
            if ($sleeps <= 2) {
                $this->spool->add(1);
            }
        });
        $worked = $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true], $this->spool->runtime($clock));

        self::assertSame(0, $worked->exit, $worked->all());
        self::assertSame(4, $this->spool->count());
        self::assertSame(3, $clock->sleeps);
    }

    #[Test]
    public function a_worker_that_has_nothing_to_do_notices_a_restored_database_within_a_minute(): void
    {
        $this->spool->add(3);
        $database = $this->spool->database();
        $queries = 0;
        $clock = new SteppingClock(function (int $sleeps) use ($database, &$queries): void {
            if ($sleeps === 1) {
                $database->table('api_events')->delete();
                $database->table('spool_ledger')
                    ->update(['position' => Position::start()->toString(), 'delivered' => 0]);
                $database->beforeExecuting(static function () use (&$queries): void {
                    $queries++;
                });
            }

            if ($sleeps === 59) {
                self::assertSame(0, $queries, 'A bucket in which nothing lies costs no query.');
            }
        });
        $this->spool->run(WorkCommand::class, ['--max-time' => '70'], $this->spool->runtime($clock));

        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function a_bucket_with_a_wrong_store_stops_no_other_bucket(): void
    {
        $this->spool->buckets['wrong'] = ['sink' => 'database', 'table' => 'api_events', 'store' => 'disk'];
        $clock = new SteppingClock(function (int $sleeps): void {
            if ($sleeps === 2) {
                $this->spool->add(1);
            }
        });
        $worked = $this->spool->run(WorkCommand::class, ['--max-time' => '5'], $this->spool->runtime($clock));

        self::assertSame(0, $worked->exit, $worked->all());
        self::assertSame(1, $this->spool->count());
    }

    #[Test]
    public function it_sleeps_for_fractions_of_a_second(): void
    {
        $clock = new SteppingClock;
        $worked = $this->spool->run(
            WorkCommand::class,
            ['--max-time' => '3', '--sleep' => '0.25'],
            $this->spool->runtime($clock),
        );

        self::assertSame([0, 12], [$worked->exit, $clock->sleeps]);
    }

    #[Test]
    public function it_stops_after_the_given_time(): void
    {
        $clock = new SteppingClock;
        $worked = $this->spool->run(
            WorkCommand::class,
            ['--max-time' => '60', '--sleep' => '2'],
            $this->spool->runtime($clock),
        );

        // It sleeps in pieces of a second, so that it hears a request to end.
        self::assertSame([0, 60], [$worked->exit, $clock->sleeps]);
    }

    #[Test]
    #[TestWith(['--max-time', '-1'])]
    #[TestWith(['--max-time', '1.5'])]
    #[TestWith(['--sleep', '-5'])]
    #[TestWith(['--sleep', 'soon'])]
    #[TestWith(['--sleep', '1e3'])]
    public function a_wrong_number_is_wrong_usage(string $option, string $value): void
    {
        $worked = $this->spool->run(WorkCommand::class, [$option => $value]);

        self::assertSame(2, $worked->exit);
        Sentence::assertNames([$option, "'{$value}'", '0'], $worked->err);
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function sigterm_ends_the_process_with_0_after_its_work_and_between_two_rounds(): void
    {
        $app = ScratchApplication::onThisCheckout();
        $app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $app->migrate();
        $app->artisan('app:buffer', '3');

        // Ten minutes between two rounds: a worker that ignored the signal would run into the time limit.
        $worker = $app->process([Programs::php(), 'artisan', 'spool:work', '--sleep=600']);

        try {
            $worker->start();
            Printed::by($worker, 'api-events: 3 ');
            $worker->signal(15);
            $worker->wait();

            self::assertSame(0, $worker->getExitCode(), $worker->getErrorOutput());
            self::assertCount(3, $app->rows('select id from api_events'));
        } finally {
            $worker->stop(0);
            $app->remove();
        }
    }

    #[Test]
    public function a_signal_during_a_round_leaves_the_other_buckets_for_later_and_loses_nothing(): void
    {
        $this->spool->createEvents('others');
        $this->spool->buckets['others'] = ['sink' => 'database', 'table' => 'others'];
        $this->spool->add(2);
        $this->spool->add(2, 'others');
        $command = new WorkCommand($this->spool->runtime(new SteppingClock));
        $this->spool->database()->beforeExecuting(static function (string $query) use ($command): void {
            if (str_starts_with($query, 'select') && str_contains($query, 'spool_ledger')) {
                $command->handleSignal(15);
            }
        });

        self::assertSame(0, (new CommandTester($command))->execute(['--max-time' => '60', '--memory' => '4096']));
        self::assertSame([2, 0], [$this->spool->count(), $this->spool->count('others')]);

        $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true], $this->spool->runtime(new SteppingClock));
        self::assertSame(2, $this->spool->count('others'));
    }

    #[Test]
    public function to_stop_when_empty_is_no_success_while_something_is_left(): void
    {
        $this->spool->add(2);
        $this->spool->runtime()->store()->pauses()->pause('api-events', new DateTimeImmutable);
        $worked = $this->spool->run(
            WorkCommand::class,
            ['--stop-when-empty' => true],
            $this->spool->runtime(new SteppingClock),
        );

        self::assertSame(1, $worked->exit);
        self::assertStringStartsWith('api-events: ', $worked->err);
        Snapshot::assertPrinted('spool:work', 'it stops when empty, and something is left', $worked->err);
        self::assertSame(0, $this->spool->count());
    }

    #[Test]
    public function it_survives_a_database_that_goes_and_comes_back_and_logs_it_once(): void
    {
        $this->spool->add(2);
        $database = $this->spool->database();
        $clock = new SteppingClock(function (int $sleeps) use ($database): void {
            match ($sleeps) {
                1 => $database->statement('alter table api_events rename to elsewhere'),
                5 => $database->statement('alter table elsewhere rename to api_events'),
                default => null,
            };
            $this->spool->add(1);
        });
        $worked = $this->spool->run(WorkCommand::class, ['--max-time' => '40'], $this->spool->runtime($clock));

        self::assertSame(0, $worked->exit);
        self::assertSame(41, $this->spool->count());
        // One a round at most: the time between two tries grows, by chance.
        self::assertContains(substr_count($worked->err, 'no such table'), [1, 2, 3, 4]);
        self::assertCount(2, $this->spool->logged);
        Sentence::assertNames(["'api-events'", 'no such table: api_events'], $this->spool->logged[0]);
        Sentence::assertNames(["'api-events'"], $this->spool->logged[1]);
        $logged = implode("\n", $this->spool->logged);
        Snapshot::assertPrinted('log of incidents', 'a flush fails and then delivers', $logged);
    }

    #[Test]
    public function one_process_keeps_its_memory_over_two_hundred_rounds(): void
    {
        $used = [];
        $clock = new SteppingClock(function (int $sleeps) use (&$used): void {
            gc_collect_cycles();
            $used[$sleeps] = memory_get_usage();
            $this->spool->add(20);
        });
        $this->spool->settings['retention'] = 0;
        // Not kept in memory: the output is a stream on disk here.
        $output = fopen($this->spool->file('output.txt'), 'w');
        self::assertNotFalse($output);
        $exit = (new WorkCommand($this->spool->runtime($clock)))->run(
            new \Symfony\Component\Console\Input\ArrayInput(['--max-time' => '200', '--memory' => '4096']),
            new \Symfony\Component\Console\Output\StreamOutput($output),
        );

        self::assertSame(0, $exit);
        self::assertCount(200, $used);
        self::assertSame(199 * 20, $this->spool->count());
        self::assertLessThan(32 * 1024, $used[200] - $used[50], 'Bytes gained in 150 rounds.');
    }

    #[Test]
    public function completed_segments_are_removed_about_once_a_minute(): void
    {
        $this->spool->settings['retention'] = 0;
        $clock = new SteppingClock(fn () => $this->spool->add(1));
        $this->spool->run(WorkCommand::class, ['--max-time' => '130'], $this->spool->runtime($clock));

        self::assertLessThan(70, count((array) glob("{$this->spool->path}/*/api-events/completed/*.seg")));
        self::assertSame(129, $this->spool->count());
    }
}
