<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\SystemClock;
use Headroom\Process\Programs;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The processes that check: of the schedule, of a flush and of a worker.
 */
final class AlertProcessesTest extends ApplicationTestCase
{
    private const PATIENCE_SECONDS = 60;

    private ScriptedServer $slack;

    protected function setUp(): void
    {
        parent::setUp();
        $this->slack = ScriptedServer::start();
        $this->slack->always(['status' => 200, 'body' => 'ok', 'keeps' => false]);
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'buckets' => ['api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
    }

    protected function tearDown(): void
    {
        if (isset($this->slack)) {
            $this->slack->stop();
        }

        parent::tearDown();
    }

    private function receiver(string $url): void
    {
        $this->app->config('headroom', "['notify' => ['slack' => '{$url}']]");
    }

    /** Two flushes that add the same event: dead letters. */
    private function bury(): void
    {
        $this->app->execute('create unique index if not exists once on api_events (event)');
        self::assertSame(0, $this->app->artisan('app:buffer', '2')->exit);
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertSame(0, $this->app->artisan('app:buffer', '2')->exit);
    }

    private function awaitRequests(int $count): void
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while (count($this->slack->requests()) < $count) {
            self::assertLessThan($until, $clock->monotonicNanos(), 'There was no message.');
            $clock->sleep(50_000);
        }
    }

    #[Test]
    public function processes_that_check_at_once_send_one_message(): void
    {
        $this->bury();
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        $this->receiver($this->slack->url());
        $processes = array_map(fn (int $number): Process => new Process(
            [Programs::php(), 'artisan', 'headroom:notify', ...($number % 2 === 0 ? ['--scheduled'] : [])],
            $this->app->path(),
            $this->app->env(),
        ), range(1, 8));
        array_map(static fn (Process $process) => $process->start(), $processes);
        $exits = array_map(static fn (Process $process): int => $process->wait(), $processes);

        self::assertSame(array_fill(0, 8, 0), $exits, $processes[0]->getErrorOutput());
        self::assertCount(1, $this->slack->requests());
        self::assertSame(0, $this->app->artisan('headroom:notify')->exit);
        self::assertCount(1, $this->slack->requests());
    }

    #[Test]
    public function a_flush_starts_the_check_and_does_not_wait_for_it(): void
    {
        $this->bury();
        $this->receiver($this->slack->url());
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        $this->awaitRequests(1);
        self::assertStringContainsString('dead letters', $this->slack->requests()[0]->body);
    }

    #[Test]
    public function a_worker_starts_the_check(): void
    {
        $this->bury();
        $this->receiver($this->slack->url());
        $this->app->artisan('spool:work', '--stop-when-empty');
        $this->awaitRequests(1);
    }

    #[Test]
    public function a_check_works_with_a_cached_configuration_and_says_what_it_sent(): void
    {
        $this->receiver($this->slack->url());
        self::assertSame(0, $this->app->artisan('config:cache')->exit);
        self::assertSame("slack: took the test message.\n", $this->app->artisan('headroom:notify', '--test')->out);
        self::assertStringContainsString('headroom:notify --scheduled', $this->app->artisan('schedule:list')->out);
        $this->slack->next(['status' => 500, 'body' => 'no']);
        $failed = $this->app->artisan('headroom:notify', '--test');
        self::assertSame([1, "slack: failed. The webhook answered 500: no.\n"], [$failed->exit, $failed->out]);
    }

    #[Test]
    public function without_a_receiver_nothing_is_scheduled_or_written(): void
    {
        $this->bury();
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertStringNotContainsString('headroom:notify', $this->app->artisan('schedule:list')->out);
        self::assertSame(0, $this->app->artisan('headroom:notify', '--scheduled')->exit);
        self::assertFileDoesNotExist($this->app->path('storage/app/private/buffer/alerts'));
    }

    #[Test]
    public function before_the_first_event_a_check_creates_nothing(): void
    {
        $this->receiver($this->slack->url());
        self::assertSame(0, $this->app->artisan('headroom:notify', '--scheduled')->exit);
        self::assertSame(0, $this->app->artisan('headroom:notify')->exit);
        self::assertDirectoryDoesNotExist($this->app->path('storage/app/private/buffer'));
    }

    #[Test]
    public function maintenance_mode_is_no_problem(): void
    {
        $this->bury();
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        $this->receiver($this->slack->url());
        self::assertSame(0, $this->app->artisan('down')->exit);
        self::assertSame(0, $this->app->artisan('headroom:notify')->exit);
        self::assertSame([], $this->slack->requests());
    }

    #[Test]
    public function a_check_that_hangs_delays_no_delivery_and_is_not_started_twice(): void
    {
        $spool = new Spool;
        $started = $spool->file('started');
        $command = ['/bin/sh', '-c', "echo x >> '{$started}'; exec sleep 20"];

        try {
            $spool->add(3);
            $clock = new SteppingClock(static function (int $sleeps) use ($spool): void {
                $sleeps % 10 === 0 ? $spool->add(1) : null;
            });
            $runtime = $spool->runtime($clock, alertCommand: static fn (): array => $command);
            self::assertSame(0, $spool->run(WorkCommand::class, ['--max-time' => '100'], $runtime)->exit);
            self::assertGreaterThan(10, $spool->count());
            self::assertSame("x\n", $this->written($started));
        } finally {
            $spool->remove();
        }
    }

    /** The shell may not have run yet. */
    private function written(string $file): string
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while (! is_file($file) && $clock->monotonicNanos() < $until) {
            $clock->sleep(20_000);
        }

        return (string) file_get_contents($file);
    }
}
