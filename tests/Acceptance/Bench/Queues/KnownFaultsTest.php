<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Provokes the ways in which Laravel's queues are known to run a job twice: the benchmark must detect them. */
#[Group('proof')]
final class KnownFaultsTest extends TestCase
{
    /** Deadlocks are a matter of chance; without one the test tries again. */
    private const TRIES = 4;

    #[Test]
    #[TestWith(['redis'])]
    #[TestWith(['database'])]
    public function a_job_longer_than_retry_after_runs_twice_or_fails_though_it_ran(string $driver): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb);

        try {
            $tries = 0;

            // No worker may ask between the two moments at which all of them sleep for a second or two.
            do {
                [$exit, $scenarios] = $workbench->bench("--drivers={$driver}", '--scenario=slow', '--workers=4');
                [$once, $thrice] = $scenarios['slow']->all;
            } while (
                ++$tries < self::TRIES
                && ($once->count(FaultKind::Failed) === 0 || $thrice->count(FaultKind::Double) === 0)
            );
        } finally {
            $workbench->remove();
        }

        self::assertSame(
            ["{$driver}, --tries=1", "{$driver}, --tries=3"],
            [$once->variant->name, $thrice->variant->name],
        );
        self::assertGreaterThan(
            0,
            $once->count(FaultKind::Failed),
            'With one try the second worker gives it up while the first is at it.',
        );
        self::assertSame(0, $once->count(FaultKind::Double));
        self::assertSame(0, $once->count(FaultKind::Lost), 'Each of those ran nevertheless.');
        self::assertGreaterThan(0, $thrice->count(FaultKind::Double));
        self::assertSame(0, $exit, 'It was asked for.');
    }

    /**
     * beanstalkd misses the deadline of a job that was taken with reserve-with-timeout, as Laravel takes it, until
     * its worker sends something: https://github.com/beanstalkd/beanstalkd/pull/174
     */
    #[Test]
    public function beanstalkd_may_leave_such_a_job_with_its_worker_and_loses_none(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb);

        try {
            [, $scenarios] = $workbench->bench('--drivers=beanstalkd', '--scenario=slow', '--workers=4');
        } finally {
            $workbench->remove();
        }

        self::assertSame(
            [0, 0],
            array_map(static fn (Finding $finding): int => $finding->count(FaultKind::Lost), $scenarios['slow']->all),
        );
    }

    /**
     * Laravel takes it for a server without SKIP LOCKED, like MySQL 5.7:
     * https://github.com/laravel/framework/issues/7046
     */
    #[Test]
    public function without_skip_locked_a_deadlock_leaves_a_job_in_the_queue_that_ran(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb, ['DB_VERSION' => '5.7.0']);
        $faults = $errors = [];

        try {
            for ($try = 0; $try < self::TRIES && $faults === []; $try++) {
                [, $scenarios] = $workbench->bench(
                    '--drivers=database:mariadb',
                    '--jobs=1500',
                    '--seconds=0',
                    '--runs=1',
                    '--workers=10',
                );
                $faults = self::faults($scenarios['empty']);
                $errors = self::errors($scenarios['empty']);
            }
        } finally {
            $workbench->remove();
        }

        self::assertNotSame([], $faults, 'Each job ran once, and none was left.');
        self::assertStringContainsString('1213 Deadlock found', implode(' ', $errors));
    }

    #[Test]
    public function with_skip_locked_there_is_no_deadlock(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb);

        try {
            [, $scenarios] = $workbench->bench(
                '--drivers=database:mariadb',
                '--jobs=1500',
                '--seconds=0',
                '--runs=1',
                '--workers=10',
            );
        } finally {
            $workbench->remove();
        }

        self::assertSame([], self::faults($scenarios['empty']));
        self::assertSame([], self::errors($scenarios['empty']));
    }

    /** @return list<string> but those of the machine */
    private static function faults(Findings $findings): array
    {
        $faults = array_merge(...array_map(
            static fn (Outcome $outcome): array => $outcome->faults,
            $findings->all[0]->outcomes,
        ));

        return array_values(array_map(
            static fn (Fault $fault): string => $fault->words,
            array_filter($faults, static fn (Fault $fault): bool => $fault->kind !== FaultKind::Throttled),
        ));
    }

    /** @return list<string> */
    private static function errors(Findings $findings): array
    {
        return array_merge(...array_map(
            static fn (Outcome $outcome): array => array_keys($outcome->errors),
            $findings->all[0]->outcomes,
        ));
    }
}
