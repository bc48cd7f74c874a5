<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Tests\Laravel\WorkbenchDatabase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The ways in which Laravel's queues are known to run a job twice, provoked: the benchmark has to see them.
 */
final class KnownFaultsTest extends TestCase
{
    /** Deadlocks are a matter of chance; without them it is tried again. */
    private const TRIES = 4;

    #[Test]
    #[TestWith(['redis'])]
    #[TestWith(['beanstalkd'])]
    #[TestWith(['database'])]
    public function a_job_that_takes_longer_than_retry_after_runs_twice_or_is_called_failed_though_it_ran(string $driver): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb);

        try {
            [$exit, $scenarios] = $workbench->bench("--drivers={$driver}", '--scenario=slow', '--workers=4');
        } finally {
            $workbench->remove();
        }

        [$once, $thrice] = $scenarios['slow'];
        self::assertSame(["{$driver}, --tries=1", "{$driver}, --tries=3"], [$once['variant'], $thrice['variant']]);
        self::assertGreaterThan(0, $once['failed'], 'With one try the second worker gives it up while the first is at it.');
        self::assertSame(0, $once['double']);
        self::assertSame(0, $once['lost'], 'Each of those ran nevertheless.');
        self::assertGreaterThan(0, $thrice['double']);
        self::assertSame(0, $exit, 'It was asked for.');
    }

    /** Laravel takes it for a server that has no SKIP LOCKED, as it does MySQL 5.7: https://github.com/laravel/framework/issues/7046 */
    #[Test]
    public function without_skip_locked_a_deadlock_leaves_a_job_in_the_queue_that_ran(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb, ['DB_VERSION' => '5.7.0']);
        $seen = [];

        try {
            for ($try = 0; $try < self::TRIES && array_diff($seen, ['throttled']) === []; $try++) {
                [, $scenarios] = $workbench->bench('--drivers=database:mariadb', '--jobs=1500', '--seconds=0', '--runs=1', '--workers=10');
                $outcomes = $scenarios['empty'][0]['outcomes'];
                self::assertIsArray($outcomes);
                $seen = array_merge(...array_map(static fn (array $outcome): array => array_column($outcome['faults'], 'fault'), $outcomes));
                $errors = implode(' ', array_merge(...array_map(static fn (array $outcome): array => array_keys($outcome['errors']), $outcomes)));
            }
        } finally {
            $workbench->remove();
        }

        self::assertNotSame([], array_diff($seen, ['throttled']), 'Each job ran once, and none was left.');
        self::assertStringContainsString('1213 Deadlock found', $errors ?? '');
    }

    #[Test]
    public function with_skip_locked_there_is_no_deadlock(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::MariaDb);

        try {
            [, $scenarios] = $workbench->bench('--drivers=database:mariadb', '--jobs=1500', '--seconds=0', '--runs=1', '--workers=10');
        } finally {
            $workbench->remove();
        }

        foreach ((array) $scenarios['empty'][0]['outcomes'] as $outcome) {
            self::assertIsArray($outcome);
            self::assertSame([], array_diff(array_column((array) $outcome['faults'], 'fault'), ['throttled']));
            self::assertSame([], $outcome['errors']);
        }
    }
}
