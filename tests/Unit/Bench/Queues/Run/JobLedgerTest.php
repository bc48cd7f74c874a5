<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Run;

use Headroom\Bench\Queues\Run\JobLedger;
use Headroom\Bench\Queues\Run\JobOutcome;
use Headroom\Bench\Queues\Run\JobRecord;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class JobLedgerTest extends TestCase
{
    #[Test]
    public function each_job_that_ran_once_is_neither_lost_nor_double(): void
    {
        $ledger = JobLedger::of([self::record(2, 30), self::record(0, 10), self::record(1, 20)]);

        self::assertSame(
            [[], [], 3, 3, 0, 0],
            [
                $ledger->lost(3),
                $ledger->duplicated(),
                $ledger->jobs(),
                $ledger->runs(),
                $ledger->failed,
                $ledger->thrown,
            ],
        );
    }

    #[Test]
    public function one_that_ran_twice_does_not_stand_in_for_one_that_never_ran(): void
    {
        $ledger = JobLedger::of([self::record(0, 10), self::record(2, 20), self::record(2, 30)]);

        self::assertSame([1], $ledger->lost(3));
        self::assertSame([2], $ledger->duplicated());
        self::assertSame([2, 3], [$ledger->jobs(), $ledger->runs()]);
    }

    #[Test]
    public function one_that_was_begun_twice_ran_twice_though_its_worker_was_killed_over_it(): void
    {
        $records = [self::record(0, 10), self::record(1, 20), self::record(2, 30), self::record(2, 40)];

        self::assertSame([1, 2], JobLedger::of($records, [0, 1, 2, 2, 1])->duplicated());
        self::assertSame([2], JobLedger::of($records, [0, 1, 2])->duplicated());
    }

    #[Test]
    public function when_nothing_ran_all_are_lost_and_nothing_has_an_end(): void
    {
        $ledger = JobLedger::of([]);

        self::assertSame([0, 1, 2], $ledger->lost(3));
        self::assertNull($ledger->endOfRun(1));
        self::assertSame([], $ledger->waits());
    }

    #[Test]
    public function of_no_jobs_none_is_lost(): void
    {
        self::assertSame([], JobLedger::of([])->lost(0));
    }

    #[Test]
    public function a_job_that_was_given_up_without_having_run_is_lost_and_failed(): void
    {
        $ledger = JobLedger::of([self::record(0, 10), self::record(1, 20, outcome: JobOutcome::Failed)]);

        self::assertSame(
            [[1], 1, 1, 10],
            [$ledger->lost(2), $ledger->failed, $ledger->runs(), $ledger->endOfRun(2)],
        );
    }

    #[Test]
    public function a_job_that_ran_and_then_failed_is_neither_lost_nor_double(): void
    {
        $ledger = JobLedger::of([self::record(0, 10), self::record(0, 20, outcome: JobOutcome::Failed)]);

        self::assertSame([[], [], 1], [$ledger->lost(1), $ledger->duplicated(), $ledger->failed]);
    }

    #[Test]
    public function one_that_ran_and_did_not_leave_the_queue_has_run(): void
    {
        $ledger = JobLedger::of([
            self::record(0, 10, outcome: JobOutcome::Thrown), self::record(0, 20),
            self::record(1, 15, outcome: JobOutcome::Thrown),
        ]);

        self::assertSame(
            [[], [0], 2, 3],
            [$ledger->lost(2), $ledger->duplicated(), $ledger->thrown, $ledger->runs()],
        );
    }

    #[Test]
    public function the_end_of_the_first_jobs_is_the_latest_of_theirs(): void
    {
        $ledger = JobLedger::of([self::record(0, 50), self::record(1, 10), self::record(2, 40), self::record(3, 20)]);

        self::assertSame([10, 20, 40, 50, 50], array_map($ledger->endOfRun(...), [1, 2, 3, 4, 99]));
    }

    #[Test]
    public function the_wait_of_a_job_is_that_of_its_first_run(): void
    {
        $ledger = JobLedger::of([
            new JobRecord(0, JobOutcome::Done, 1_000_000, 9_000_000, 10_000_000),
            new JobRecord(0, JobOutcome::Done, 1_000_000, 3_000_000, 20_000_000),
            new JobRecord(1, JobOutcome::Done, 2_000_000, 2_500_000, 3_000_000),
            new JobRecord(1, JobOutcome::Done, 2_000_000, 7_000_000, 8_000_000),
            new JobRecord(2, JobOutcome::Failed, 2_000_000, 2_500_000, 2_500_000),
        ]);
        $waits = $ledger->waits();
        sort($waits);

        self::assertSame([0.5, 2.0], $waits);
    }

    private static function record(int $id, int $ended, JobOutcome $outcome = JobOutcome::Done): JobRecord
    {
        return new JobRecord($id, $outcome, 0, $ended - 1, $ended);
    }
}
