<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\FaultKind;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Probed;
use Headroom\Bench\Queues\Workload;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FaultTest extends TestCase
{
    /** @return iterable<string, array{Fault, string, int, string}> */
    public static function faults(): iterable
    {
        yield 'one is lost' => [Fault::lost([7]), 'lost', 1, '1 job (7) never ran'];
        yield 'five are lost' => [Fault::lost([1, 2, 3, 4, 5]), 'lost', 5, '5 jobs (1, 2, 3, 4, 5) never ran'];
        yield 'many are lost' => [Fault::lost(range(1, 1_234)), 'lost', 1_234, '1,234 jobs (1, 2, 3, 4, 5, ...) never ran'];
        yield 'too few' => [Fault::tooFew(300, 10_000), 'lost', 9_700, 'nothing more was done after 300 jobs of the 10,000 that count'];
        yield 'double' => [Fault::double([3, 9]), 'double', 2, '2 jobs (3, 9) ran more than once'];
        yield 'left behind' => [Fault::leftBehind(1), 'left_behind', 1, '1 job still in the queue when the run ended'];
        yield 'failed' => [Fault::failed(2_000), 'failed', 2_000, '2,000 jobs given up by Laravel as failed'];
        yield 'worker ended' => [Fault::workerEnded(2, 'out of memory'), 'worker_ended', 2, '2 of the workers ended before the jobs did. The log of one ends with: out of memory'];
        yield 'throttled' => [Fault::throttled('a neighbour'), 'throttled', 1, 'the machine was slower than before: a neighbour'];
    }

    #[Test]
    #[DataProvider('faults')]
    public function a_fault_says_what_it_is_and_how_many_jobs_it_is_about(Fault $fault, string $kind, int $count, string $words): void
    {
        self::assertSame(['fault' => $kind, 'count' => $count, 'words' => $words], $fault->toArray());
    }

    #[Test]
    #[DataProvider('faults')]
    public function a_run_with_any_fault_is_not_valid_and_says_why(Fault $fault, string $kind, int $count, string $words): void
    {
        $outcome = Made::outcome(1_000, [$fault]);

        self::assertFalse($outcome->isValid());
        self::assertSame("not counted: {$words}", $outcome->words(new Workload(10, 0, 1)));
        self::assertSame([$count, $kind === 'throttled'], [$outcome->count($fault->kind), $outcome->isThrottled()]);
        self::assertFalse($outcome->toArray()['valid']);
    }

    #[Test]
    public function a_run_without_a_fault_is_valid_and_says_its_rate(): void
    {
        self::assertTrue(Made::outcome(1_234)->isValid());
        self::assertSame('1,234 jobs/s', Made::outcome(1_234)->words(new Workload(10, 0, 1)));
        self::assertSame('9.9 jobs/s', Made::outcome(9.9)->words(new Workload(10, 0, 1)));
    }

    #[Test]
    public function of_arrivals_it_says_how_long_jobs_waited_and_of_slow_jobs_what_became_of_them(): void
    {
        $slow = new Workload(10, 0, 1, millis: 3_500);

        self::assertSame('a job waited 2.0 ms, 99 of 100 at most 3.0 ms', Made::outcome(1, waits: [1.0, 2.0, 3.0])->words(new Workload(10, 0, 1, arrivals: 20)));
        self::assertSame('1,000 jobs, each ran once', Made::outcome(1)->words($slow));
        self::assertSame('1,000 jobs: 1 job (3) ran more than once; 2 jobs given up by Laravel as failed', Made::outcome(1, [Fault::double([3]), Fault::failed(2)])->words($slow));
    }

    #[Test]
    public function a_slow_machine_neither_loses_a_job_nor_runs_it_twice(): void
    {
        self::assertTrue(Made::outcome(1, [Fault::throttled('so'), Fault::throttled('too')])->isThrottled());
        self::assertFalse(Made::outcome(1, [Fault::throttled('so'), Fault::lost([1])])->isThrottled());
        self::assertFalse(Made::outcome(1, [Fault::workerEnded(1, ''), Fault::throttled('so')])->isThrottled());
        self::assertFalse(Made::outcome(1)->isThrottled());
    }

    #[Test]
    public function a_run_in_which_nothing_was_done_is_not_valid_and_has_no_rate(): void
    {
        $probed = new Probed(1, 1);
        $outcome = new Outcome(10, 0, null, 0, [], [], [], ['before' => $probed, 'after' => $probed], ['busy' => 0.0, 'stolen' => 0.0], []);

        self::assertFalse($outcome->isValid());
        self::assertSame([0.0, 'not counted: no job ran', null], [$outcome->perSecond(), $outcome->words(new Workload(10, 0, 1)), $outcome->toArray()['seconds']]);
    }

    #[Test]
    public function faults_of_one_kind_are_added_up_and_others_are_not(): void
    {
        $outcome = Made::outcome(1_000, [Fault::lost([1, 2]), Fault::double([3]), Fault::tooFew(1, 4)]);

        self::assertSame([5, 1, 0], array_map($outcome->count(...), [FaultKind::Lost, FaultKind::Double, FaultKind::Failed]));
    }
}
