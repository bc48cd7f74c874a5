<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\Contender;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\FaultKind;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Throttle;
use Headroom\Bench\Queues\Trial;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Host\Proc;
use Headroom\Host\Programs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Real processes, and a queue that does what a bad one does.
 */
final class TrialTest extends TestCase
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
        $alive = array_filter($pids, static fn (string $pid): bool => (new Proc)->stat((int) $pid)?->isAlive() === true);
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

    #[Test]
    public function jobs_are_pushed_in_pieces_that_a_server_takes(): void
    {
        $this->tried(1_100, workers: 3);
        self::assertSame([[0, 500], [500, 500], [1_000, 100]], $this->queue->pushes);

        $this->queue->pushes = [];
        $this->tried(5, new Workload(5, 0, 2, payloadBytes: 400_000));
        self::assertSame([[0, 2], [2, 2], [4, 1]], $this->queue->pushes);
    }

    #[Test]
    public function a_server_learns_what_is_in_its_table_when_all_of_it_is_there_and_none_is_taken(): void
    {
        $this->tried(1_100, workers: 2);

        self::assertSame([1_100], $this->queue->analyzed);
    }

    /** @return iterable<string, array{string, list<array{FaultKind, int}>, string}> */
    public static function bad(): iterable
    {
        yield 'a job is lost' => ['loses', [[FaultKind::Lost, 1]], '1 job (3) never ran'];
        yield 'a job runs twice' => ['runs twice', [[FaultKind::Double, 1]], '1 job (3) ran more than once'];
        yield 'a job stays in the queue' => ['leaves', [[FaultKind::LeftBehind, 1]], '1 job still in the queue when the run ended'];
        yield 'a worker is at a job that another has done' => ['begins again', [[FaultKind::Double, 1]], '1 job (3) ran more than once'];
        yield 'a job is given up' => ['gives up', [[FaultKind::Lost, 1], [FaultKind::Failed, 1]], '1 job given up by Laravel as failed'];
        yield 'a worker dies over a job' => ['dies', [[FaultKind::Lost, 1], [FaultKind::LeftBehind, 1], [FaultKind::WorkerEnded, 1]], '1 of the workers ended before the jobs did. The log of one ends with: '];
        yield 'a worker hangs over a job' => ['hangs', [[FaultKind::Lost, 1], [FaultKind::LeftBehind, 1]], '1 job (3) never ran'];
    }

    /** @param list<array{FaultKind, int}> $faults */
    #[Test]
    #[DataProvider('bad')]
    public function what_becomes_of_a_job_is_told(string $does, array $faults, string $words): void
    {
        // However late a worker is at a job that another one has done: the clock is hurried when it is.
        $workload = $does === 'begins again' ? new Workload(12, 0, 2, retryAfter: 30) : null;
        $outcome = $this->tried(12, $workload, ['fault' => $does, 'fault_at' => 3]);

        self::assertSame($faults, self::faults($outcome));
        self::assertContains($words, array_map(static fn (Fault $fault): string => $fault->words, $outcome->faults));
        self::assertFalse($outcome->isValid());
        self::assertSame($does === 'loses' ? ['RuntimeException: dropped it' => 1] : [], $outcome->errors);
    }

    #[Test]
    public function when_all_workers_are_gone_the_rest_is_not_waited_for(): void
    {
        $outcome = $this->tried(12, new Workload(12, 0, 1), ['fault' => 'dies', 'fault_at' => 4]);

        self::assertSame([[FaultKind::Lost, 8], [FaultKind::LeftBehind, 8], [FaultKind::WorkerEnded, 1]], self::faults($outcome));
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
        // Had it not ended with them, it would have gone on until nothing happened any more, and told of a job that never ran.
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
    public function of_jobs_that_arrive_one_by_one_it_is_told_how_long_each_waited(): void
    {
        $outcome = $this->tried(8, new Workload(8, 0, 2, arrivals: 200));

        self::assertSame([], self::faults($outcome));
        self::assertSame(array_map(static fn (int $id): array => [$id, 1], range(0, 7)), $this->queue->pushes);
        self::assertCount(8, $outcome->waits);
        self::assertGreaterThan(0.0, min($outcome->waits));
    }

    #[Test]
    public function of_a_worker_that_ends_at_once_its_last_words_are_told(): void
    {
        self::assertSame("bad: a worker ended before it was ready. The end of its log:\nno such connection", $this->refusal(['fault' => 'exits']));
        self::assertSame([], $this->queue->pushes);
    }

    #[Test]
    public function a_worker_that_never_gets_ready_is_not_waited_for_for_ever(): void
    {
        self::assertStringStartsWith('bad: 1 of 2 workers were ready after 60 s.', $this->refusal(['fault' => 'never ready']));
        self::assertSame([], $this->queue->pushes);
    }

    /** @return iterable<string, array{Closure(): DirectoryQueue, string}> */
    public static function brokenQueues(): iterable
    {
        yield 'push, the second piece' => [static fn (): DirectoryQueue => new DirectoryQueue(brokenPush: 2), 'bad: pushing jobs failed: RuntimeException: the disk is full'];
        yield 'size, at first' => [static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 2), 'bad: counting jobs failed: RuntimeException: connection refused'];
        yield 'size, after pushing' => [static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 3), 'bad: counting jobs failed: RuntimeException: connection refused'];
        yield 'size, while workers work' => [static fn (): DirectoryQueue => new DirectoryQueue(brokenSize: 4), 'bad: counting jobs failed: RuntimeException: connection refused'];
        yield 'reset leaves something' => [static fn (): DirectoryQueue => new DirectoryQueue(isSticky: true), 'bad: 1 jobs are in the queue that was made for this run, after it was emptied. Is somebody else pushing to it?'];
        yield 'somebody else takes jobs' => [static fn (): DirectoryQueue => new DirectoryQueue(isStolen: true), 'bad: 600 jobs were pushed, and 598 wait, while its workers are held back. Is another worker taking from all queues of that server?'];
        yield 'what failed first is told' => [static fn (): DirectoryQueue => new DirectoryQueue(brokenPush: 1, isBreaking: true), 'bad: pushing jobs failed: RuntimeException: the disk is full'];
    }

    /** @param Closure(): DirectoryQueue $broken */
    #[Test]
    #[DataProvider('brokenQueues')]
    public function a_queue_that_fails_is_named_and_emptied(Closure $broken, string $words): void
    {
        $this->use($broken());

        self::assertSame($words, $this->refusal([], jobs: 600));
        self::assertSame(2, $this->queue->resets);
    }

    #[Test]
    public function a_job_that_ran_twice_does_not_end_the_run_before_the_last_one(): void
    {
        $outcome = $this->tried(12, new Workload(12, 0, 1), ['fault' => 'runs twice', 'fault_at' => 3, 'slow_at' => 11]);

        self::assertSame([[FaultKind::Double, 1]], self::faults($outcome));
        self::assertSame(13, $outcome->executions);
    }

    #[Test]
    public function a_push_that_fails_while_jobs_arrive_is_named_too(): void
    {
        $this->use(new DirectoryQueue(brokenPush: 3));

        self::assertSame('bad: pushing jobs failed: RuntimeException: the disk is full', $this->refusal([], new Workload(5, 0, 2, arrivals: 500), 5));
    }

    #[Test]
    public function a_queue_that_can_not_be_emptied_in_the_end_does_not_spoil_the_run_and_is_named(): void
    {
        $this->use(new DirectoryQueue(isBreaking: true));

        self::assertSame([], self::faults($this->tried(3)));
        self::assertSame(["bad: emptying the queue failed: RuntimeException: gone away What is in its queue {$this->queue->place->path} stays there."], $this->said);
    }

    #[Test]
    public function jobs_of_somebody_else_are_left_alone(): void
    {
        $theirs = $this->queue->foreign();

        self::assertSame('bad: 1 jobs are in a queue whose name was made for this run, before anything was pushed to it. They were left alone. Does the driver have one queue for all names?', $this->refusal([]));
        self::assertSame([0, [], true], [$this->queue->resets, $this->queue->pushes, is_file($theirs)]);
    }

    #[Test]
    public function of_those_that_the_run_did_not_come_to_none_may_be_gone(): void
    {
        $outcome = $this->tried(400, new Workload(400, 0, 2, counted: 10), ['fault' => 'drops others', 'fault_at' => 3]);

        // Each of the two workers was ended over a job that may be neither here nor there.
        self::assertSame([FaultKind::Lost], array_column(self::faults($outcome), 0));
        self::assertContains(self::faults($outcome)[0][1], [18, 19, 20]);
        self::assertStringEndsWith(' jobs have left the queue and never ran', $outcome->faults[0]->words);
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
        $contender = new Contender(new Variant('bad', DriverFacts::unknown('none'), $workload ?? new Workload($jobs, 0, $workers)), $this->queue, ['queue' => $this->queue->place->path, ...$work]);

        return (new Trial([Programs::php(), __DIR__.'/fixtures/worker.php'], new Throttle($clock), $clock, function (string $words): void {
            $this->said[] = $words;
        }))->run($contender, $jobs);
    }

    /** @return list<array{FaultKind, int}> those of the queue; how busy this machine is at the moment says nothing of the code */
    private static function faults(Outcome $outcome): array
    {
        return array_map(static fn (Fault $fault): array => [$fault->kind, $fault->count], array_values(array_filter($outcome->faults, static fn (Fault $fault): bool => ! $fault->kind->isOfTheMachine())));
    }
}
