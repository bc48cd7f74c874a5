<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Scenarios;

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\Scenarios\ScenarioVariant;
use Headroom\Bench\Queues\Workload;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class ScenarioTest extends TestCase
{
    private const STORES = ['redis', 'file', 'array', 'dynamodb', 'database'];

    #[Test]
    public function empty_jobs_have_the_given_workload(): void
    {
        self::assertEquals(
            [new ScenarioVariant('', new Workload(10_000, 10, 10))],
            Scenario::Empty->variants('database', new BenchOptions, []),
        );
    }

    #[Test]
    public function slow_jobs_outlast_retry_after_while_half_of_the_workers_are_idle(): void
    {
        $variants = Scenario::Slow->variants('database', new BenchOptions(workers: 9), []);

        self::assertSame(['--tries=1', '--tries=3'], self::names($variants));

        foreach ($variants as $at => $variant) {
            self::assertSame(
                [4, [1, 3][$at], false],
                [$variant->workload->jobs, $variant->workload->tries, $variant->workload->isScalable()],
            );
            self::assertGreaterThan(1_000 * (int) $variant->workload->retryAfter, $variant->workload->millis);
        }

        self::assertSame(1, Scenario::Slow->variants('redis', new BenchOptions(workers: 1), [])[0]->workload->jobs);
    }

    #[Test]
    public function of_a_deep_queue_the_same_number_of_jobs_is_taken(): void
    {
        $variants = Scenario::Deep->variants('database', new BenchOptions(jobs: 5_000, deep: 1_000_000), []);

        self::assertSame(
            ['5,000', '1,000,000'],
            array_map(static fn (string $name): string => explode(' ', $name)[0], self::names($variants)),
        );
        self::assertSame(
            [5_000, 1_000_000],
            array_map(static fn (ScenarioVariant $variant): int => $variant->workload->jobs, $variants),
        );
        self::assertSame(
            [5_000, 5_000],
            array_map(static fn (ScenarioVariant $variant): ?int => $variant->workload->counted, $variants),
        );
        self::assertSame(
            [5_000, 100],
            array_map(
                static fn (ScenarioVariant $variant): ?int => $variant->workload->counted,
                Scenario::Deep->variants('database', new BenchOptions(jobs: 5_000, deep: 100), []),
            ),
        );
    }

    #[Test]
    public function payloads_fit_into_a_job_of_beanstalkd(): void
    {
        $variants = Scenario::Payload->variants('beanstalkd', new BenchOptions, []);
        $bytes = array_map(static fn (ScenarioVariant $variant): int => $variant->workload->payloadBytes, $variants);

        self::assertSame(['1 kB', '10 kB', '60 kB'], array_slice(self::names($variants), 1));
        self::assertSame([0, 1_000, 10_000, 60_000], $bytes);
        self::assertLessThan(65_535, max($bytes));
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function waiting(): iterable
    {
        yield 'redis blocks' => ['redis', ['--sleep=3', '--sleep=0.1', 'block_for 5']];
        yield 'beanstalkd blocks' => ['beanstalkd', ['--sleep=3', '--sleep=0.1', 'block_for 5']];
        yield 'a database does not' => ['database', ['--sleep=3', '--sleep=0.1']];
        yield 'what is not known does not' => ['theirs', ['--sleep=3', '--sleep=0.1']];
    }

    /** @param list<string> $names */
    #[Test]
    #[DataProvider('waiting')]
    public function arriving_jobs_are_waited_for_in_each_way_of_the_driver(string $driver, array $names): void
    {
        $variants = Scenario::Arrivals->variants($driver, new BenchOptions(seconds: 7.5), []);

        self::assertSame($names, self::names($variants));
        self::assertSame([3.0, 0.1], [$variants[0]->workload->sleep, $variants[1]->workload->sleep]);
        // Otherwise the first two would wait as the application's settings say.
        self::assertSame(
            [['block_for' => null], ['block_for' => null]],
            [$variants[0]->connection, $variants[1]->connection],
        );

        foreach ($variants as $variant) {
            self::assertSame([150, 20.0], [$variant->workload->jobs, $variant->workload->arrivals]);
        }

        self::assertSame(
            count($names) === 3 ? [['block_for' => 5], 3.0] : null,
            isset($variants[2]) ? [$variants[2]->connection, $variants[2]->workload->sleep] : null,
        );
    }

    #[Test]
    public function so_many_jobs_arrive_that_a_p99_is_not_the_longest(): void
    {
        foreach ([0.0, 1.0, 5.0] as $seconds) {
            foreach (Scenario::Arrivals->variants(
                'redis',
                new BenchOptions(jobs: 10, seconds: $seconds),
                [],
            ) as $variant) {
                self::assertSame(100, $variant->workload->jobs);
            }
        }
    }

    #[Test]
    public function a_scenario_without_a_row_names_the_drivers_it_is_for(): void
    {
        $why = array_map(
            static fn (Scenario $scenario): string => $scenario->whyNone(),
            [Scenario::Persistent, Scenario::Cache, Scenario::Empty],
        );

        self::assertMatchesRegularExpression('/\bredis\b.*--drivers/', $why[0]);
        self::assertStringContainsString('array, file, redis, database', $why[1]);
        self::assertStringContainsString('--drivers', $why[2]);
        Snapshot::assertPrinted('bench queues', 'scenarios without a row', implode("\n", $why));
    }

    #[Test]
    public function persistent_connections_are_a_matter_of_redis(): void
    {
        self::assertSame(
            [['persistent' => false], ['persistent' => true]],
            array_map(
                static fn (ScenarioVariant $variant): array => $variant->redis,
                Scenario::Persistent->variants('redis', new BenchOptions, []),
            ),
        );
        self::assertSame([], Scenario::Persistent->variants('database', new BenchOptions, []));
    }

    #[Test]
    public function stores_are_those_that_the_application_has_in_a_fixed_order(): void
    {
        $variants = Scenario::Cache->variants('redis', new BenchOptions, self::STORES);

        self::assertSame(
            ['CACHE_STORE=array', 'CACHE_STORE=file', 'CACHE_STORE=redis', 'CACHE_STORE=database'],
            self::names($variants),
        );
        self::assertSame(['cache.default' => 'file'], $variants[1]->config);
        self::assertSame(
            ['CACHE_STORE=file'],
            self::names(Scenario::Cache->variants('redis', new BenchOptions, ['file', 'memcached'])),
        );
    }

    /** @return iterable<string, array{Scenario}> */
    public static function scenarios(): iterable
    {
        foreach (Scenario::cases() as $scenario) {
            yield $scenario->value => [$scenario];
        }
    }

    #[Test]
    #[DataProvider('scenarios')]
    public function rows_of_a_scenario_have_their_own_names_and_the_given_workers(Scenario $scenario): void
    {
        foreach (['redis', 'beanstalkd', 'database'] as $driver) {
            $variants = $scenario->variants($driver, new BenchOptions(workers: 7), self::STORES);

            self::assertSame(self::names($variants), array_values(array_unique(self::names($variants))));

            foreach ($variants as $variant) {
                self::assertSame(7, $variant->workload->workers);
            }
        }

        self::assertSame($scenario === Scenario::Slow, $scenario->isAboutFates());
    }

    #[Test]
    #[DataProvider('scenarios')]
    public function no_scenario_runs_more_often_than_was_asked_for(Scenario $scenario): void
    {
        self::assertSame(1, $scenario->runs(1));
        self::assertLessThanOrEqual(10, $scenario->runs(10));
        self::assertSame($scenario === Scenario::Empty, $scenario->runs(10) === 10);
    }

    #[Test]
    public function a_job_that_comes_again_has_come_when_it_is_settled(): void
    {
        self::assertSame(0.25, (new Workload(1, 0, 1))->settling());
        self::assertSame(
            2 + 3.5 + 1 + 1.0,
            (new Workload(1, 0, 1, millis: 3_500, retryAfter: 2, sleep: 1))->settling(),
        );
    }

    #[Test]
    public function with_more_jobs_nothing_else_of_a_workload_changes(): void
    {
        $workload = new Workload(1, 2.5, 3, 4, 5, 6, 7.5, 8, 9, 10.5, true);

        self::assertEquals(new Workload(99, 2.5, 3, 4, 5, 6, 7.5, 8, 9, 10.5, true), $workload->with(99));
        self::assertEquals(new Workload(99, 1.5, 3, 4, 5, 6, 7.5, 8, 9, 10.5, true), $workload->with(99, 1.5));
        self::assertSame(
            [
                'workers' => 3,
                'counted' => 4,
                'payload_bytes' => 5,
                'job_ms' => 6,
                'arrivals_per_s' => 7.5,
                'retry_after_s' => 8,
                'tries' => 9,
                'sleep_s' => 10.5,
                'quiet' => true,
            ],
            $workload->toArray(),
        );
    }

    #[Test]
    public function a_worker_prints_of_each_job_unless_it_is_reported_not_to(): void
    {
        $variants = Scenario::Output->variants('redis', new BenchOptions, []);

        self::assertSame([2, '--quiet'], [count($variants), $variants[1]->name]);
        self::assertSame(
            [false, true],
            array_map(static fn (ScenarioVariant $variant): bool => $variant->workload->isQuiet, $variants),
        );
        self::assertFalse((new BenchOptions)->workload()->isQuiet);
    }

    #[Test]
    public function only_a_run_of_empty_jobs_that_all_wait_is_made_longer(): void
    {
        self::assertTrue((new Workload(1, 10, 1, payloadBytes: 5))->isScalable());

        foreach ([
            new Workload(1, 10, 1, counted: 1),
            new Workload(1, 10, 1, millis: 1),
            new Workload(1, 10, 1, arrivals: 1),
        ] as $workload) {
            self::assertFalse($workload->isScalable());
        }
    }

    #[Test]
    public function numbers_are_reported_and_become_a_workload(): void
    {
        $options = new BenchOptions(5, 1.5, 3, 4, 100);

        self::assertSame(
            ['jobs' => 5, 'seconds' => 1.5, 'workers' => 3, 'runs' => 4, 'deep' => 100],
            $options->toArray(),
        );
        self::assertEquals(new Workload(5, 1.5, 3, payloadBytes: 9), $options->workload(9));
    }

    /**
     * @param list<ScenarioVariant> $variants
     * @return list<string>
     */
    private static function names(array $variants): array
    {
        return array_map(static fn (ScenarioVariant $variant): string => $variant->name, $variants);
    }
}
