<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Worker;

use Closure;
use Headroom\Process\Supervision\BackgroundProcess;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Process\Supervision\SlotOptions;
use Headroom\Spool\Worker\BucketSupervisor;
use Headroom\Spool\Worker\SupervisorOptions;
use Headroom\Spool\Worker\WorkerStopReason;
use Headroom\Tests\Support\TimedClock;
use Headroom\Tests\Unit\Process\Supervision\FakeProcesses;
use Headroom\Tests\Unit\Process\Supervision\TestChannel;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * The supervisor of spool:work by a clock that a test moves. tests/Laravel/SupervisorTest.php has
 * the kernel's part of it.
 */
#[RequiresPhpExtension('pcntl')]
final class BucketSupervisorTest extends TestCase
{
    private TimedClock $clock;

    private FakeProcesses $processes;

    private ShutdownSignal $stop;

    /** @var list<string> */
    private array $said = [];

    private bool $isOver = false;

    /** @var list<string> buckets that have no use for a process yet */
    private array $unused = [];

    /** @var list<string> buckets of which it was asked, in order */
    private array $asked = [];

    /** @var list<string|Channel> buckets and channels that work was done for */
    private array $worked = [];

    protected function setUp(): void
    {
        $this->clock = new TimedClock;
        $this->processes = new FakeProcesses($this->clock);
        $this->stop = new ShutdownSignal;
    }

    #[Test]
    public function one_that_keeps_ending_is_started_again_after_pauses_that_double_to_thirty_seconds(): void
    {
        foreach (range(1, 200) as $second) {
            $this->clock->at($second, fn () => $this->processes->end(count($this->processes->started), 255));
        }

        $this->clock->at(200, $this->finish(...));
        $this->supervisor()->run(['a']);

        self::assertSame([0, 1, 2, 4, 8, 16, 30, 30], array_slice($this->pauses(), 0, 8));
    }

    #[Test]
    public function one_that_lived_for_thirty_seconds_is_started_again_without_a_pause(): void
    {
        $this->clock->at(1, fn () => $this->processes->end(1, 255));
        $this->clock->at(2, fn () => $this->processes->end(2, 255));
        $this->clock->at(32, fn () => $this->processes->end(3, 255));
        $this->clock->at(62, fn () => $this->processes->end(4, 255));
        $this->clock->at(63, fn () => $this->processes->end(5, 255));
        $this->clock->at(70, $this->finish(...));
        $this->supervisor()->run(['a']);

        // The third has lived for 29 seconds, the fourth for 28.
        self::assertSame([1 => 0, 1, 3, 34, 66], $this->processes->started);
        self::assertSame([0, 1, 2, 4], $this->pauses());
    }

    #[Test]
    public function a_bucket_gets_no_process_until_it_is_wanted(): void
    {
        $this->unused = ['b'];
        $this->clock->at(7, function (): void {
            $this->unused = [];
        });
        $this->clock->at(20, $this->finish(...));
        $this->supervisor()->run(['a', 'b']);

        self::assertSame([1 => 0, 7], $this->processes->started);
        // Each second until then, and never again while it runs.
        self::assertSame(['a' => 1, 'b' => 8], array_count_values($this->asked));
    }

    #[Test]
    #[TestWith([WorkerStopReason::Drained, WorkerStopReason::Drained, WorkerStopReason::Stopped])]
    #[TestWith([WorkerStopReason::Failed, WorkerStopReason::Drained, WorkerStopReason::Failed])]
    #[TestWith([WorkerStopReason::Drained, WorkerStopReason::Failed, WorkerStopReason::Failed])]
    public function it_ends_when_all_are_done_and_failed_if_any_did(
        WorkerStopReason $one,
        WorkerStopReason $other,
        WorkerStopReason $reason,
    ): void {
        $this->clock->at(2, fn () => $this->processes->end(1, $one->value));
        $this->clock->at(100, fn () => $this->processes->end(2, $other->value));

        self::assertSame($reason, $this->supervisor()->run(['a', 'b']));
        self::assertSame([1 => 0, 0], $this->processes->started);
        self::assertSame([1 => 2, 100], $this->processes->reaped);
        self::assertSame([], $this->processes->signals);
    }

    /** exit() in what a sink calls ends with 0, dd() with 1, a fatal error with 255. */
    #[Test]
    #[TestWith([0])]
    #[TestWith([1])]
    #[TestWith([255])]
    #[TestWith([WorkerStopReason::Error->value])]
    #[TestWith([WorkerStopReason::MemoryLimit->value])]
    #[TestWith([WorkerStopReason::Stopped->value])]
    public function every_other_exit_code_is_no_end_of_the_work(int $code): void
    {
        $this->clock->at(1, fn () => $this->processes->end(1, $code));
        $this->clock->at(5, $this->finish(...));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a']));
        self::assertSame([1 => 0, 1], $this->processes->started);
    }

    #[Test]
    public function one_that_a_signal_ends_is_started_again_and_the_others_run_on(): void
    {
        // By its number that would be the end of the work.
        $this->clock->at(1, fn () => $this->processes->endBySignal(1, WorkerStopReason::Drained->value));
        $this->clock->at(5, $this->finish(...));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a', 'b']));
        self::assertSame([1 => 0, 0, 1], $this->processes->started);
        self::assertSame([1 => 1, 3 => 5, 2 => 5], $this->processes->reaped);
    }

    #[Test]
    public function it_ends_by_what_a_terminal_and_a_service_manager_send(): void
    {
        self::assertSame([SIGTERM, SIGINT, SIGQUIT], ShutdownSignal::signals());
    }

    #[Test]
    #[TestWith([SIGTERM])]
    #[TestWith([SIGINT])]
    #[TestWith([SIGQUIT])]
    public function a_signal_goes_to_all_and_stops_the_supervisor(int $signal): void
    {
        $this->clock->at(3, fn () => $this->stop->ask($signal));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a', 'b']));
        self::assertSame([[3, 1, $signal], [3, 2, $signal]], $this->processes->signals);
        self::assertSame([], $this->processes->left());
    }

    #[Test]
    public function only_those_that_run_after_thirty_seconds_of_grace_are_killed(): void
    {
        $this->processes->deaf = [1, 3];
        $this->clock->at(3, fn () => $this->stop->ask(SIGTERM));
        $this->clock->at(10, fn () => $this->processes->end(3, WorkerStopReason::Stopped->value));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['deaf', 'willing', 'slow']));
        $told = [[3, 1, SIGTERM], [3, 2, SIGTERM], [3, 3, SIGTERM]];
        self::assertSame([...$told, [33, 1, SIGKILL]], $this->processes->signals);
        self::assertSame([2 => 3, 3 => 10, 1 => 33], $this->processes->reaped);
    }

    #[Test]
    public function a_second_signal_kills_what_is_left_at_once(): void
    {
        $this->processes->deaf = [1];
        $this->clock->at(3, fn () => $this->stop->ask(SIGTERM));
        $this->clock->at(5, fn () => $this->stop->ask(SIGTERM));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['deaf', 'willing']));
        self::assertSame([[3, 1, SIGTERM], [3, 2, SIGTERM], [5, 1, SIGKILL]], $this->processes->signals);
        self::assertSame([], $this->processes->left());
    }

    #[Test]
    public function none_is_started_after_a_signal(): void
    {
        $this->processes->deaf = [1];
        // In the middle of a round of starts.
        $this->clock->at(2, fn () => $this->processes->end(2, 255));
        $isWanted = function (string $bucket): bool {
            if ($bucket === 'c' && $this->clock->second() === 2) {
                $this->stop->ask(SIGTERM);
            }

            return $bucket !== 'c';
        };
        $this->clock->at(8, fn () => $this->processes->end(1, 255));
        $this->supervisor($isWanted)->run(['a', 'c', 'b']);

        self::assertSame([1 => 0, 0], $this->processes->started);
        self::assertSame([[3, 1, SIGTERM]], $this->processes->signals);
    }

    #[Test]
    public function a_process_that_cannot_be_started_is_tried_again_after_growing_pauses(): void
    {
        $this->processes->failing = 7;
        $this->clock->at(70, $this->finish(...));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a']));
        self::assertSame([0, 1, 2, 4, 8, 16, 32, 62], $this->processes->tries);
        self::assertSame([1 => 62], $this->processes->started);
    }

    #[Test]
    public function a_bucket_whose_process_cannot_start_holds_no_other_up(): void
    {
        $this->processes->failing = 1;
        $this->clock->at(5, $this->finish(...));
        $this->supervisor()->run(['a', 'b']);

        self::assertSame([0, 0, 1], $this->processes->tries);
        self::assertSame([1 => 0, 1], $this->processes->started);
    }

    #[Test]
    public function grace_pauses_and_the_time_to_settle_are_options(): void
    {
        $options = new SupervisorOptions(4, slots: new SlotOptions(settledSeconds: 10, maxPauseSeconds: 2));
        $this->processes->deaf = [5];
        // Three that end at once, one that has settled, and one that does not end when it is told to.
        array_map(
            fn (int $second)
                => $this->clock->at($second, fn () => $this->processes->end(count($this->processes->started), 255)),
            [1, 2, 5, 19],
        );
        $this->clock->at(30, $this->finish(...));
        $this->supervisor(options: $options)->run(['a']);

        self::assertSame([0, 1, 2, 0], $this->pauses());
        self::assertSame([[30, 5, SIGTERM], [34, 5, SIGKILL]], $this->processes->signals);
    }

    #[Test]
    public function it_says_what_ended_and_when_it_is_started_again(): void
    {
        $this->clock->at(1, fn () => $this->processes->endBySignal(1, SIGSEGV));
        $this->clock->at(5, fn () => $this->processes->end(2, WorkerStopReason::MemoryLimit->value));
        $this->clock->at(9, $this->finish(...));
        $this->supervisor()->run(['audit']);

        self::assertCount(2, $this->said);
        self::assertMatchesRegularExpression('/\baudit\b.* signal 11\b.* now$/', $this->said[0]);
        self::assertMatchesRegularExpression('/\baudit\b.* memory .* 1 s$/', $this->said[1]);
    }

    /** By spool:restart, or after --max-time. */
    #[Test]
    public function a_supervisor_that_is_over_ends_all(): void
    {
        $this->processes->deaf = [2];
        $this->clock->at(4, $this->finish(...));

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a', 'b']));
        self::assertSame([[4, 1, SIGTERM], [4, 2, SIGTERM], [34, 2, SIGKILL]], $this->processes->signals);
    }

    #[Test]
    public function one_that_is_over_from_the_beginning_starts_nothing(): void
    {
        $this->isOver = true;

        self::assertSame(WorkerStopReason::Stopped, $this->supervisor()->run(['a']));
        self::assertSame([], $this->processes->tries);
    }

    #[Test]
    public function the_work_gets_its_bucket_and_its_channel_and_ends_with_its_code(): void
    {
        $this->clock->at(1, $this->finish(...));
        $this->supervisor()->run(['a', 'b', 'throws']);

        [$one] = TestChannel::pair();
        [$other] = TestChannel::pair();
        self::assertSame(WorkerStopReason::Drained->value, $this->processes->works[1]($one));
        self::assertSame(WorkerStopReason::Failed->value, $this->processes->works[2]($other));
        self::assertSame(['a', $one, 'b', $other], $this->worked);
        self::assertSame(WorkerStopReason::Error->value, $this->processes->works[3]($one));
    }

    #[Test]
    public function the_background_process_is_killed_before_the_workers_are_signalled(): void
    {
        $background = new BackgroundProcess(
            static fn (): bool => true,
            static function (): void {},
            $this->processes->start(...),
            $this->clock,
        );
        $this->clock->at(7, fn () => $this->processes->end(2, 0));
        $this->clock->at(20, $this->finish(...));
        $this->supervisor(background: $background)->run(['a']);

        // Looked at from the fifth second on, every five seconds, and not while it runs.
        self::assertSame([1 => 0, 5, 10], $this->processes->started);
        self::assertSame([[20, 3, SIGKILL], [20, 1, SIGTERM]], $this->processes->signals);
        self::assertSame([], $this->processes->left());
    }

    #[Test]
    public function a_background_task_that_is_not_due_takes_no_process(): void
    {
        $background = new BackgroundProcess(
            static fn (): bool => false,
            static function (): void {},
            $this->processes->start(...),
            $this->clock,
        );
        $this->clock->at(20, $this->finish(...));
        $this->supervisor(background: $background)->run(['a']);

        self::assertSame([1 => 0], $this->processes->started);
        self::assertSame([[20, 1, SIGTERM]], $this->processes->signals);
    }

    /** @param ?Closure(string): bool $isWanted */
    private function supervisor(
        ?Closure $isWanted = null,
        ?BackgroundProcess $background = null,
        ?SupervisorOptions $options = null,
    ): BucketSupervisor {
        return new BucketSupervisor(
            $this->work(...),
            $isWanted ?? function (string $bucket): bool {
                $this->asked[] = $bucket;

                return ! in_array($bucket, $this->unused, true);
            },
            fn (): bool => $this->isOver,
            $this->processes->start(...),
            $this->stop,
            $this->clock,
            function (string $message): void {
                $this->said[] = $message;
            },
            $background,
            $options ?? new SupervisorOptions,
        );
    }

    private function work(string $bucket, Channel $supervisor): WorkerStopReason
    {
        if ($bucket === 'throws') {
            throw new RuntimeException('for the test');
        }

        array_push($this->worked, $bucket, $supervisor);

        return $bucket === 'a' ? WorkerStopReason::Drained : WorkerStopReason::Failed;
    }

    private function finish(): void
    {
        $this->isOver = true;
    }

    /** @return list<int> seconds from each end to the next start, where a test has one bucket */
    private function pauses(): array
    {
        $pauses = [];

        foreach ($this->processes->started as $pid => $second) {
            if ($pid > 1) {
                $pauses[] = $second - $this->processes->reaped[$pid - 1];
            }
        }

        return $pauses;
    }
}
