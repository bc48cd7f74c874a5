<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Worker;

use Headroom\Console\Standalone\StandaloneSinkFactory;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\Worker;
use Headroom\Spool\Worker\WorkerOptions;
use Headroom\Spool\Worker\WorkerStopReason;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\TimedClock;
use Headroom\Tests\Unit\Process\Supervision\TestChannel;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * One worker process by a clock that a test moves. tests/Laravel/WorkCommandTest.php has the process itself.
 */
#[RequiresPhpExtension('pcntl')]
final class WorkerTest extends DirectoryTestCase
{
    private const SECOND = 1_000_000;

    private const NO_LIMIT = PHP_INT_MAX;

    private TimedClock $clock;

    private ShutdownSignal $stop;

    private RecordedOutput $output;

    private Arrivals $arrivals;

    private bool $isDown = false;

    protected function setUp(): void
    {
        parent::setUp();
        $this->clock = new TimedClock;
        $this->stop = new ShutdownSignal;
        $this->output = new RecordedOutput;
        $this->arrivals = new Arrivals;
        // A second after the epoch: an event that was accepted at 0 counts as damaged.
        $this->clock->sleep(self::SECOND);
    }

    #[Test]
    public function it_delivers_each_round_until_a_signal_comes(): void
    {
        $this->add(2);
        $this->clock->at(4, fn () => $this->add(3));
        $this->clock->at(7, fn () => $this->stop->ask(SIGTERM));

        self::assertSame(WorkerStopReason::Stopped, $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT)));
        self::assertSame([[2, 3], 7], [$this->output->delivered, $this->clock->second()]);
    }

    #[Test]
    public function a_signal_interrupts_a_long_sleep_within_a_second(): void
    {
        $this->clock->at(3, fn () => $this->stop->ask(SIGINT));

        self::assertSame(WorkerStopReason::Stopped, $this->work(new WorkerOptions(600 * self::SECOND, self::NO_LIMIT)));
        self::assertSame(3, $this->clock->second());
    }

    #[Test]
    public function it_stops_after_its_seconds(): void
    {
        self::assertSame(
            WorkerStopReason::Stopped,
            $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT, seconds: 5)),
        );
        self::assertSame(6, $this->clock->second());
    }

    #[Test]
    public function it_stops_for_its_memory_after_the_round(): void
    {
        $this->add(1);

        self::assertSame(WorkerStopReason::MemoryLimit, $this->work(new WorkerOptions(self::SECOND, 1)));
        self::assertSame([1], $this->output->delivered);
    }

    #[Test]
    public function it_stops_when_its_supervisor_is_gone(): void
    {
        $this->add(1);
        [$worker, $supervisor] = TestChannel::pair();
        $supervisor->close();

        self::assertSame(
            WorkerStopReason::Stopped,
            $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT, supervisor: $worker)),
        );
        self::assertSame([], $this->output->delivered);
    }

    #[Test]
    public function a_draining_worker_ends_when_a_round_finds_nothing(): void
    {
        $this->add(2);

        self::assertSame(WorkerStopReason::Drained, $this->work($this->drain()));
        self::assertSame([[2], []], [$this->output->delivered, $this->output->errors]);
    }

    #[Test]
    public function a_draining_worker_names_the_bucket_whose_sink_fails(): void
    {
        $this->add(1, 'broken');

        self::assertSame(WorkerStopReason::Failed, $this->work($this->drain(), ['broken']));
        self::assertCount(1, $this->output->errors);
        self::assertStringStartsWith('broken: ', $this->output->errors[0]);
    }

    #[Test]
    public function a_failing_bucket_delays_no_other(): void
    {
        $this->add(1, 'broken');
        $this->add(2);
        $this->clock->at(5, fn () => $this->stop->ask(SIGTERM));
        $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT), ['broken', 'events']);

        self::assertCount(2, $this->arrivals->idsOf('events'));
    }

    /** @param list<int> $delivered */
    #[Test]
    #[TestWith([false, []])]
    #[TestWith([true, [1]])]
    public function in_maintenance_mode_only_draining_delivers(bool $isDraining, array $delivered): void
    {
        $this->isDown = true;
        $this->add(1);
        $this->clock->at(4, fn () => $this->stop->ask(SIGTERM));
        $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT, $isDraining));

        self::assertSame([$delivered, $isDraining ? 0 : 1], [$this->output->delivered, count($this->output->notices)]);
    }

    #[Test]
    public function after_maintenance_it_says_so_and_delivers(): void
    {
        $this->isDown = true;
        $this->add(1);
        $this->clock->at(4, function (): void {
            $this->isDown = false;
        });
        $this->clock->at(9, fn () => $this->stop->ask(SIGTERM));
        $this->work(new WorkerOptions(self::SECOND, self::NO_LIMIT));

        self::assertSame([[1], 2], [$this->output->delivered, count($this->output->notices)]);
    }

    private function drain(): WorkerOptions
    {
        return new WorkerOptions(self::SECOND, self::NO_LIMIT, untilDrained: true);
    }

    /** @param list<string> $buckets */
    private function work(WorkerOptions $options, array $buckets = ['events']): WorkerStopReason
    {
        return (new Worker($this->spool(), $buckets, $options, $this->stop, $this->output))->run();
    }

    private function add(int $count, string $bucket = 'events'): void
    {
        $buffer = $this->spool()->buffer()->bucket($bucket);

        for ($i = 0; $i < $count; $i++) {
            $buffer->add(['number' => $i]);
        }
    }

    private function spool(): SpoolServices
    {
        $kinds = [
            'memory' => fn (): Sink => new MemorySink($this->arrivals),
            'broken' => static fn (): Sink => new FailingSink,
        ];

        return new SpoolServices(
            fn (): AppendConfig => AppendConfig::fromArray(['path' => $this->directory->file('buffer'), 'buckets' => [
                'events' => ['sink' => 'memory'],
                'broken' => ['sink' => 'broken'],
            ]]),
            new Backends(static fn (): StandaloneSinkFactory => new StandaloneSinkFactory($kinds)),
            clock: $this->clock,
            isInMaintenance: fn (): bool => $this->isDown,
        );
    }
}
