<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Results;

use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Workload;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class FaultTest extends TestCase
{
    /**
     * @return iterable<string, array{Fault, string, int, list<string>}> fault, kind, jobs,
     *     and the numbers and names in its words
     */
    public static function faults(): iterable
    {
        yield 'one is lost' => [Fault::lost([7]), 'lost', 1, ['1', '(7)']];
        yield 'five are lost' => [Fault::lost([1, 2, 3, 4, 5]), 'lost', 5, ['5', '(1, 2, 3, 4, 5)']];
        yield 'many are lost' => [Fault::lost(range(1, 1_234)), 'lost', 1_234, ['1,234', '(1, 2, 3, 4, 5, ...)']];
        yield 'too few' => [Fault::tooFew(300, 10_000), 'lost', 9_700, ['300', '10,000']];
        yield 'double' => [Fault::double([3, 9]), 'double', 2, ['2', '(3, 9)']];
        yield 'left behind' => [Fault::leftBehind(1), 'left_behind', 1, ['1']];
        yield 'failed' => [Fault::failed(2_000), 'failed', 2_000, ['2,000']];
        yield 'worker ended' => [Fault::workerEnded(2, 'out of memory'), 'worker_ended', 2, ['2', 'out of memory']];
        yield 'throttled' => [Fault::throttled('a neighbour'), 'throttled', 1, ['a neighbour']];
    }

    /** @param list<string> $named */
    #[Test]
    #[DataProvider('faults')]
    public function a_fault_has_its_kind_and_the_number_of_its_jobs(
        Fault $fault,
        string $kind,
        int $count,
        array $named,
    ): void {
        self::assertSame(['fault' => $kind, 'count' => $count, 'words' => $fault->words], $fault->toArray());
        self::assertMatchesRegularExpression('/'.implode('.*', array_map(preg_quote(...), $named)).'/', $fault->words);
    }

    #[Test]
    public function each_fault_has_its_words(): void
    {
        $words = array_map(static fn (array $fault): string => $fault[0]->words, iterator_to_array(self::faults()));

        Snapshot::assertPrinted('bench queues', 'faults of a run', implode("\n", $words));
    }

    #[Test]
    #[DataProvider('faults')]
    public function a_run_with_any_fault_is_not_valid_and_reports_why(Fault $fault, string $kind, int $count): void
    {
        $outcome = Made::outcome(1_000, [$fault]);

        self::assertFalse($outcome->isValid());
        self::assertStringEndsWith(": {$fault->words}", $outcome->words(new Workload(10, 0, 1)));
        self::assertSame([$count, $kind === 'throttled'], [$outcome->count($fault->kind), $outcome->isThrottled()]);
        self::assertFalse($outcome->toArray()['valid']);
    }

    #[Test]
    public function a_run_without_a_fault_is_valid_and_reports_its_rate(): void
    {
        self::assertTrue(Made::outcome(1_234)->isValid());
        self::assertStringStartsWith('1,234 ', Made::outcome(1_234)->words(new Workload(10, 0, 1)));
        self::assertStringStartsWith('9.9 ', Made::outcome(9.9)->words(new Workload(10, 0, 1)));
    }

    #[Test]
    public function arrivals_report_how_long_jobs_waited_and_slow_jobs_their_faults(): void
    {
        $slow = new Workload(10, 0, 1, millis: 3_500);

        $faults = [Fault::double([3]), Fault::failed(2)];
        $words = [
            Made::outcome(1, waits: [1.0, 2.0, 3.0])->words(new Workload(10, 0, 1, arrivals: 20)),
            Made::outcome(1)->words($slow),
            Made::outcome(1, $faults)->words($slow),
        ];

        self::assertMatchesRegularExpression('/ 2\.0 ms.* 3\.0 ms/', $words[0]);
        self::assertMatchesRegularExpression('/^1,000 \D+$/', $words[1]);
        self::assertMatchesRegularExpression("/^1,000 .*: \Q{$faults[0]->words}; {$faults[1]->words}\E$/", $words[2]);
        Snapshot::assertPrinted('bench queues', 'outcomes of runs', implode("\n", $words));
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
        $probed = new ProbeResult(1, 1);
        $outcome = new Outcome(
            10,
            0,
            null,
            0,
            [],
            [],
            [],
            ['before' => $probed, 'after' => $probed],
            ['busy' => 0.0, 'stolen' => 0.0],
            [],
        );

        self::assertFalse($outcome->isValid());
        self::assertSame([0.0, null], [$outcome->perSecond(), $outcome->toArray()['seconds']]);
        Snapshot::assertPrinted('bench queues', 'a run without a job', $outcome->words(new Workload(10, 0, 1)));
    }

    #[Test]
    public function faults_of_one_kind_are_added_up_and_others_are_not(): void
    {
        $outcome = Made::outcome(1_000, [Fault::lost([1, 2]), Fault::double([3]), Fault::tooFew(1, 4)]);

        self::assertSame(
            [5, 1, 0],
            array_map($outcome->count(...), [FaultKind::Lost, FaultKind::Double, FaultKind::Failed]),
        );
    }
}
