<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Exceptions\DeliveryInterrupted;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Monitoring\FlushHistory;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Spool\UnableToFlush;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A sink that fails. Each flush that counts is a process of its own, as a scheduled one is.
 */
#[Group('snapshot')]
final class RetryStateTest extends FaultTestCase
{
    #[Test]
    public function failures_are_counted_over_processes(): void
    {
        $this->world->append(['stays'], 'broken');

        for ($attempt = 1; $attempt <= 3; $attempt++) {
            $failure = $this->child('flush', ['broken'])->result()['failure'];
            self::assertIsString($failure);
            self::assertStringContainsString('broken on purpose', $failure);
            self::assertSame($attempt, $this->trouble('broken')?->attempts);
            $this->assertTold($attempt === 1 ? 'one flush failed' : 'some flushes failed');
        }
    }

    /** Five seconds before the next try: by then the status may say another thing. */
    private function assertTold(string $case): void
    {
        $record = (new StateFile($this->world->layout('broken')->stateFile, new Permissions))->read();
        $words = (string) (new FlushHistory(
            $record,
            ($record->flush->retry->nextTry ?? 0) - 5_000_000,
            0,
            0,
        ))->lastFailure();

        self::assertStringContainsString('broken on purpose', $this->world->status('broken')->flush->trouble ?? '');
        Snapshot::assertPrinted('trouble of a bucket', $case, $words);
    }

    #[Test]
    public function failures_and_their_retried_events_are_counted_for_good(): void
    {
        $this->world->append(['a', 'b', 'c'], 'lines');
        $counts = fn (): array => [
            $this->world->status('lines')->flush->failed,
            $this->world->status('lines')->events->retried,
            $this->world->status('lines')->storage->segments,
        ];
        self::assertSame([0, 0, 1], $counts());

        // The sink cannot open its file.
        mkdir("{$this->world->directory}/lines.json");
        self::assertNotNull($this->world->flush('lines')->failure);
        self::assertNotNull($this->world->flush('lines')->failure);
        self::assertSame([2, 6, 1], $counts());

        rmdir("{$this->world->directory}/lines.json");
        self::assertSame(
            [null, 3],
            [$this->world->flush('lines')->failure, $this->world->status('lines')->events->delivered],
        );
        self::assertSame([2, 6, 0], $counts());
        $this->world->append(['d'], 'lines');
        self::assertSame(1, $this->world->flush('lines')->delivered);
        self::assertSame([2, 6, 0], $counts());
    }

    #[Test]
    public function a_process_that_ended_in_the_middle_is_a_failure_once(): void
    {
        $this->world->append(['a', 'b'], 'lines');
        $this->child('flush', ['lines'], ['sink.called' => Act::Kill])->awaitKilled();
        self::assertNull($this->world->flush('lines')->failure);

        self::assertSame(1, $this->world->status('lines')->flush->failed);
    }

    #[Test, Group('day-3')]
    #[TestDox('exit() in a sink')]
    #[TestWith(['lines'])]
    #[TestWith(['each'])]
    #[TestWith(['partly'])]
    public function a_process_that_ended_in_a_sink_is_told_by_the_next_one(string $bucket): void
    {
        $this->world->append(['a', 'b'], $bucket);
        $this->child('flush', [$bucket], ['sink.called' => Act::Exit])->awaitEnd();
        Sentence::assertIn(DeliveryInterrupted::byProcessEnd($bucket), $this->world->status($bucket)->flush->trouble);

        $this->child('flush', [$bucket], ['sink.called' => Act::Kill])->awaitKilled();
        self::assertSame(1, $this->trouble($bucket)?->attempts);
        Sentence::assertIn(DeliveryInterrupted::byProcessEnd($bucket), $this->world->status($bucket)->flush->trouble);

        $log = new FailureLog($this->world->runtime());
        $report = $this->world->flush($bucket, new FlushOptions);
        $log->note($report);
        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertSame([2, 0], [$report->retry?->attempts, $report->delivered]);
        self::assertSame(2, $this->trouble($bucket)?->attempts);
        Sentence::assertIn(DeliveryInterrupted::byProcessEnd($bucket), implode($this->world->logged()));

        self::assertNull($this->world->flush($bucket)->failure);
        self::assertSame(['a', 'b'], $this->world->lines());
        self::assertNull($this->world->status($bucket)->flush->trouble);
    }

    #[Test]
    public function a_flush_that_is_under_way_is_no_trouble(): void
    {
        $this->world->append(['a', 'b'], 'lines');
        $child = $this->child('flush', ['lines'], ['sink.called' => Act::Wait]);
        $child->awaitPoint('sink.called');

        self::assertNull($this->world->status('lines')->flush->trouble);
        $child->goOn();
        self::assertNull($child->result()['failure']);
        self::assertNull($this->world->status('lines')->flush->trouble);
    }

    #[Test]
    public function each_loss_is_in_the_log_once_though_it_is_met_by_several_flushes(): void
    {
        $log = new FailureLog($this->world->runtime());
        $loss = MissingRange::vanished(new Position(1, 0, 0), 31);
        $failure = DeliveryInterrupted::byProcessEnd('events');

        foreach ([[$failure, 1], [$failure, 1], [null, 1], [null, 2]] as [$failed, $told]) {
            $report = new FlushReport('events');
            $report->addLoss($loss);
            $report->failure = $failed;
            $log->note($report);
            self::assertCount(
                $told,
                array_filter(
                    $this->world->logged(),
                    static fn (string $line): bool => str_contains($line, '31 events'),
                ),
            );
        }
    }

    #[Test]
    public function a_worker_that_was_killed_once_delays_no_flush(): void
    {
        $this->world->append(['a', 'b'], 'lines');
        $this->child('flush', ['lines'], ['sink.called' => Act::Kill])->awaitKilled();
        $report = $this->world->flush('lines', new FlushOptions);

        self::assertSame([null, 2, 1], [$report->failure, $report->delivered, $report->recovered?->attempts]);
        (new FailureLog($this->world->runtime()))->note($report);
        self::assertStringStartsWith('warning: ', $this->world->logged()[0]);
        self::assertNull($this->world->status('lines')->flush->trouble);
    }

    #[Test]
    public function a_failure_that_is_noted_is_no_process_that_ended(): void
    {
        $this->world->append(['fails'], 'each');

        foreach (range(1, 2) as $attempt) {
            $report = $this->world->flush('each');
            self::assertSame(
                ['fails on purpose', null, $attempt],
                [$report->failure?->getMessage(), $report->interrupted, $report->retry?->attempts],
            );
        }
    }

    #[Test]
    public function a_sink_that_keeps_failing_is_called_down(): void
    {
        $this->world->append(['stays'], 'broken');

        for ($attempt = 1; $attempt <= RetryState::DOWN_AFTER; $attempt++) {
            self::assertNotTrue($this->trouble('broken')?->isDown());
            $this->child('flush', ['broken'])->result();
        }

        self::assertTrue($this->trouble('broken')?->isDown());
        $this->assertTold('its sink is down');
    }

    #[Test]
    public function a_flush_before_the_noted_time_tries_nothing_and_makes_no_segment(): void
    {
        $this->world->append(['waits']);
        $this->note(new RetryState(3, $this->now(), $this->now() + 200_000_000, 'planted'));
        $report = $this->world->flush(limits: new FlushOptions);

        self::assertSame('planted', $report->waiting?->reason);
        self::assertNull($report->failure);
        self::assertSame([], $this->world->rows());
        self::assertSame([], $this->names($this->world->layout()->sealed));
        self::assertSame(3, $this->trouble('events')?->attempts);

        $report = $this->world->flush(limits: new FlushOptions(now: true));
        self::assertSame(3, $report->recovered?->attempts);
        self::assertNull($this->world->status()->flush->trouble);
        $this->assertDeliveredOnce(['waits']);
    }

    #[Test]
    public function a_time_that_has_passed_is_waited_for_no_longer(): void
    {
        $this->world->append(['event']);
        $this->note(new RetryState(3, $this->now() - 2, $this->now() - 1, 'planted'));
        self::assertNotNull($this->world->flush(limits: new FlushOptions)->recovered);
        $this->assertDeliveredOnce(['event']);
    }

    #[Test]
    #[TestDox('clock jump')]
    public function clock_jump(): void
    {
        $this->world->append(['event']);
        // The clock was a day ahead when the failure was noted.
        $this->note(new RetryState(3, $this->now() + 86_400_000_000, $this->now() + 86_401_000_000, 'planted'));
        self::assertNotNull($this->world->flush(limits: new FlushOptions)->recovered);
        $this->assertDeliveredOnce(['event']);
    }

    #[Test]
    public function a_bucket_with_nothing_in_it_leaves_its_trouble_behind_once_the_sink_answers(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $this->note(new RetryState(2, $this->now(), $this->now(), 'planted'));
        self::assertNotNull($this->world->status()->flush->trouble);
        $this->flush();
        self::assertNull($this->world->status()->flush->trouble);
    }

    private function note(RetryState $retry): void
    {
        $layout = $this->world->layout();
        $lock = FlushLock::acquire($layout, new Permissions, new SystemClock);
        self::assertNotNull($lock);
        $state = new StateFile($layout->stateFile, new Permissions, $lock);
        $record = $state->read();
        $state->write($record->with($record->flush->withRetry($retry), $this->now()));
        $lock->release();
    }

    private function now(): int
    {
        return (new SystemClock)->micros();
    }
}
