<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Run\BenchmarkRun;
use Headroom\Bench\Queues\Run\StabilityCheck;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Real processes, and a queue with the faults of bad drivers.
 */
final class BenchmarkRunTest extends TestCase
{
    private DirectoryQueue $queue;

    /** @var list<string> */
    private array $said = [];

    protected function setUp(): void
    {
        $this->queue = new DirectoryQueue;
    }

    protected function tearDown(): void
    {
        $pids = $this->queue->seen('pid-*');
        $alive = array_filter(
            $pids,
            static fn (string $pid): bool => (new Proc)->stat((int) $pid)?->isAlive() === true,
        );
        $left = array_filter($this->queue->seen('directory'), is_dir(...));
        $this->queue->place->remove();

        self::assertSame([], $alive, 'workers are left');
        self::assertSame([], $left, 'the directory of the run is left');
    }

    #[Test]
    public function each_job_runs_once_and_none_before_all_are_queued(): void
    {
        $outcome = $this->tried(60, workers: 3);

        self::assertSame([], self::faults($outcome));
        self::assertSame([60, 60, 60], [$outcome->jobs, $outcome->counted, $outcome->executions]);
        self::assertGreaterThan(0.0, $outcome->seconds);
        self::assertSame([], $outcome->waits);
        self::assertSame(0, $outcome->depth[count($outcome->depth) - 1][1]);
        self::assertSame([[0, 60]], $this->queue->pushes);

        $started = array_map(intval(...), $this->queue->seen('started'));
        self::assertCount(60, $started);
        self::assertGreaterThan($this->queue->counted, min($started));
        self::assertCount(3, $this->queue->seen('pid-*'));
    }

    #[Test, Group('day-1')]
    public function jobs_are_pushed_in_pieces_that_a_server_takes(): void
    {
        $this->tried(1_100, workers: 3);
        self::assertSame([[0, 500], [500, 500], [1_000, 100]], $this->queue->pushes);

        $this->queue->pushes = [];
        $this->tried(5, new Workload(5, 0, 2, payloadBytes: 400_000));
        self::assertSame([[0, 2], [2, 2], [4, 1]], $this->queue->pushes);
    }

    #[Test, Group('day-1')]
    public function a_table_is_analyzed_when_all_jobs_are_in_it_and_none_is_taken(): void
    {
        $this->tried(1_100, workers: 2);

        self::assertSame([1_100], $this->queue->analyzed);
    }

    /** @return iterable<string, array{string, list<array{FaultKind, int}>, Fault}> */
    public static function bad(): iterable
    {
        yield 'a job is lost' => ['loses', [[FaultKind::Lost, 1]], Fault::lost([3])];
        yield 'a job runs twice' => ['runs twice', [[FaultKind::Double, 1]], Fault::double([3])];
        yield 'a job stays in the queue' => ['leaves', [[FaultKind::LeftBehind, 1]], Fault::leftBehind(1)];
        yield 'a worker is at a job that another has done' => [
            'begins again', [[FaultKind::Double, 1]], Fault::double([3]),
        ];
        yield 'a job is given up' => ['gives up', [[FaultKind::Lost, 1], [FaultKind::Failed, 1]], Fault::failed(1)];
        yield 'a worker dies over a job' => [
            'dies',
            [[FaultKind::Lost, 1], [FaultKind::LeftBehind, 1], [FaultKind::WorkerEnded, 1]],
            Fault::workerEnded(1, ''),
        ];
        yield 'a worker hangs over a job' => [
            'hangs', [[FaultKind::Lost, 1], [FaultKind::LeftBehind, 1]], Fault::lost([3]),
        ];
    }

    /** @param list<array{FaultKind, int}> $faults */
    #[Test, Group('day-2')]
    #[DataProvider('bad')]
    public function the_fate_of_a_job_is_reported(string $does, array $faults, Fault $told): void
    {
        // For a worker that still runs a job after another one has completed it, however late: the clock hurries
        // then.
        $workload = $does === 'begins again' ? new Workload(12, 0, 2, retryAfter: 30) : null;
        $outcome = $this->tried(12, $workload, ['fault' => $does, 'fault_at' => 3]);

        self::assertSame($faults, self::faults($outcome));
        self::assertContains(
            $told->words,
            array_map(static fn (Fault $fault): string => $fault->words, $outcome->faults),
        );
        self::assertFalse($outcome->isValid());
        self::assertSame($does === 'loses' ? ['RuntimeException: dropped it' => 1] : [], $outcome->errors);
    }

    #[Test]
    public function when_all_workers_are_gone_the_rest_is_not_waited_for(): void
    {
        $outcome = $this->tried(12, new Workload(12, 0, 1), ['fault' => 'dies', 'fault_at' => 4]);

        self::assertSame(
            [[FaultKind::Lost, 8], [FaultKind::LeftBehind, 8], [FaultKind::WorkerEnded, 1]],
            self::faults($outcome),
        );
        self::assertSame(4, $outcome->executions);
    }

    #[Test]
    public function a_run_in_which_nothing_is_done_has_no_time(): void
    {
        $outcome = $this->tried(3, new Workload(3, 0, 1), ['fault' => 'dies', 'fault_at' => 0]);

        self::assertSame([null, 0, false], [$outcome->seconds, $outcome->executions, $outcome->isValid()]);
    }

    #[Test]
    public function the_first_of_many_are_enough(): void
    {
        // If the run had not ended with the workers, it would have waited until nothing more happened, and reported a
        // lost job.
        $outcome = $this->tried(40, new Workload(40, 0, 2, counted: 10), ['fault' => 'hangs from', 'fault_at' => 20]);

        self::assertSame([], self::faults($outcome));
        self::assertSame([40, 10], [$outcome->jobs, $outcome->counted]);
        self::assertGreaterThanOrEqual(10, $outcome->executions);
        self::assertEqualsWithDelta(10 / (float) $outcome->seconds, $outcome->perSecond(), 1e-6);
    }

    #[Test]
    public function fewer_than_those_that_count_are_no_rate(): void
    {
        $outcome = $this->tried(40, new Workload(40, 0, 2, counted: 10), ['fault' => 'hangs from', 'fault_at' => 6]);

        self::assertSame([[FaultKind::Lost, 4]], self::faults($outcome));
        self::assertSame([6, false], [$outcome->executions, $outcome->isValid()]);
    }

    #[Test]
    public function of_jobs_that_arrive_one_by_one_the_waits_are_reported(): void
    {
        $outcome = $this->tried(8, new Workload(8, 0, 2, arrivals: 200));

        self::assertSame([], self::faults($outcome));
        self::assertSame(array_map(static fn (int $id): array => [$id, 1], range(0, 7)), $this->queue->pushes);
        self::assertCount(8, $outcome->waits);
        self::assertGreaterThan(0.0, min($outcome->waits));
    }

    #[Test]
    public function of_a_worker_that_ends_at_once_its_log_are_reported(): void
    {
        self::assertSame(
            UnableToBench::workerEnded('bad', 'no such connection')->getMessage(),
            $this->refusal(['fault' => 'exits']),
        );
        self::assertSame([], $this->queue->pushes);
    }

    #[Test]
    public function a_worker_that_never_gets_ready_runs_into_the_time_limit(): void
    {
        Sentence::assertNames(['bad', '1', '2', '60'], $this->refusal(['fault' => 'never ready']));
        self::assertSame([], $this->queue->pushes);
    }

    /**
     * @return iterable<string, array{Closure(): DirectoryQueue, UnableToBench|string}> the queue,
     *     and the failure or the end of its message
     */
    public static function brokenQueues(): iterable
    {
        yield 'push, the second piece' => [
            static fn (): DirectoryQueue => new DirectoryQueue(brokenPush: 2), ': RuntimeException: the disk is full',
        ];
        yield 'size, at first' => [
            static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 2),
            ': RuntimeException: connection refused',
        ];
        yield 'size, after pushing' => [
            static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 3),
            ': RuntimeException: connection refused',
        ];
        yield 'size, while workers work' => [
            static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 4),
            ': RuntimeException: connection refused',
        ];
        yield 'reset leaves something' => [
            static fn (): DirectoryQueue => new DirectoryQueue(isSticky: true), UnableToBench::notEmpty('bad', 1),
        ];
        yield 'another worker takes jobs' => [
            static fn (): DirectoryQueue => new DirectoryQueue(isStolen: true),
            UnableToBench::notQueued('bad', 598, 600),
        ];
        yield 'the first failure is told' => [
            static fn (): DirectoryQueue => new DirectoryQueue(brokenPush: 1, isBreaking: true),
            ': RuntimeException: the disk is full',
        ];
    }

    /** @param Closure(): DirectoryQueue $broken */
    #[Test, Group('day-3')]
    #[DataProvider('brokenQueues')]
    public function a_queue_that_fails_is_named_and_emptied(Closure $broken, UnableToBench|string $told): void
    {
        $this->use($broken());

        $refusal = $this->refusal([], jobs: 600);

        self::assertStringStartsWith('bad: ', $refusal);
        $told instanceof UnableToBench
            ? self::assertSame($told->getMessage(), $refusal)
            : self::assertTrue(str_ends_with($refusal, $told), $refusal);
        self::assertSame(2, $this->queue->resets);
    }

    #[Test]
    public function a_job_that_ran_twice_does_not_end_the_run_before_the_last_one(): void
    {
        $outcome = $this->tried(
            12,
            new Workload(12, 0, 1),
            ['fault' => 'runs twice', 'fault_at' => 3, 'slow_at' => 11],
        );

        self::assertSame([[FaultKind::Double, 1]], self::faults($outcome));
        self::assertSame(13, $outcome->executions);
    }

    #[Test]
    public function a_push_that_fails_while_jobs_arrive_is_named_too(): void
    {
        $this->use(new DirectoryQueue(brokenPush: 3));

        self::assertMatchesRegularExpression(
            '/^bad: .*: RuntimeException: the disk is full$/',
            $this->refusal([], new Workload(5, 0, 2, arrivals: 500), 5),
        );
    }

    #[Test]
    public function a_queue_that_cannot_be_emptied_is_named_and_spoils_no_run(): void
    {
        $this->use(new DirectoryQueue(isBreaking: true));

        self::assertSame([], self::faults($this->tried(3)));
        self::assertCount(1, $this->said);
        Sentence::assertNames(['bad', 'RuntimeException: gone away', $this->queue->place->path], $this->said[0]);
    }

    #[Test]
    public function jobs_of_others_are_left_alone(): void
    {
        $theirs = $this->queue->foreign();

        self::assertSame(UnableToBench::inUse('bad', 1)->getMessage(), $this->refusal([]));
        self::assertSame([0, [], true], [$this->queue->resets, $this->queue->pushes, is_file($theirs)]);
    }

    #[Test]
    public function of_those_that_the_run_did_not_come_to_none_may_be_gone(): void
    {
        $outcome = $this->tried(
            400,
            new Workload(400, 0, 2, counted: 10),
            ['fault' => 'drops others', 'fault_at' => 3],
        );

        // Each of the two workers was killed with a job that may be in either place or in neither.
        self::assertSame([FaultKind::Lost], array_column(self::faults($outcome), 0));
        self::assertContains(self::faults($outcome)[0][1], [18, 19, 20]);
    }

    #[Test]
    public function control_c_ends_it_also_at_the_very_end_and_nothing_is_left(): void
    {
        $this->use(new DirectoryQueue(isBreaking: true, isInterrupted: true));

        try {
            $this->tried(3);
            self::fail('It went on.');
        } catch (Interrupted) {
            self::assertSame(2, $this->queue->resets);
        }
    }

    private function use(DirectoryQueue $queue): void
    {
        $this->queue->place->remove();
        $this->queue = $queue;
    }

    /** @param array<string, mixed> $work */
    private function refusal(array $work, ?Workload $workload = null, int $jobs = 5): string
    {
        try {
            $this->tried(max(1, $jobs), $workload, $work);
        } catch (UnableToBench $e) {
            return $e->getMessage();
        }

        self::fail('It was measured.');
    }

    /**
     * @param int<1, max> $jobs
     * @param array<string, mixed> $work
     * @param int<1, max> $workers
     */
    private function tried(int $jobs, ?Workload $workload = null, array $work = [], int $workers = 2): Outcome
    {
        $clock = new HurryingClock($this->queue->place->file('quiet'));
        $underTest = new DriverUnderTest(
            new Variant('bad', DriverFacts::unknown('none'), $workload ?? new Workload($jobs, 0, $workers)),
            $this->queue,
            ['queue' => $this->queue->place->path, ...$work],
        );

        return (new BenchmarkRun(
            [Programs::php(), __DIR__.'/fixtures/worker.php'],
            new StabilityCheck($clock),
            $clock,
            function (string $words): void {
                $this->said[] = $words;
            },
        ))->run($underTest, $jobs);
    }

    /**
     * @return list<array{FaultKind, int}> those of the queue; how busy this machine is at the moment
     *     says nothing of the code
     */
    private static function faults(Outcome $outcome): array
    {
        return array_map(
            static fn (Fault $fault): array => [$fault->kind, $fault->count],
            array_values(array_filter(
                $outcome->faults,
                static fn (Fault $fault): bool => ! $fault->kind->isOfTheMachine(),
            )),
        );
    }
}
