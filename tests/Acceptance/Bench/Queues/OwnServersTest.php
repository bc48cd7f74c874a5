<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Results\Finding;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Redis\SharedRedis;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** headroom:bench:queues on servers that hold data of an application. */
#[Group('snapshot')]
final class OwnServersTest extends TestCase
{
    private const KEYS = 2_000;

    private ?Workbench $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->remove();
    }

    /** @return array<int, array{string}> */
    public static function sampledDrivers(): array
    {
        return Sample::of([
            ['allkeys-lru'],
            ['noeviction'],
        ], 1);
    }

    #[Test, Group('day-1')]
    #[DataProvider('sampledDrivers')]
    public function jobs_too_large_for_a_redis_are_refused_and_no_key_is_lost(string $policy): void
    {
        $server = RedisServer::start(['maxmemory' => '40mb', 'maxmemory-policy' => $policy]);
        $server->ask(
            'EVAL',
            "for i = 1, ARGV[1] do redis.call('SET', 'session:'..i, string.rep('x', 1000)) end",
            0,
            self::KEYS,
        );
        $this->workbench = new Workbench(['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $server->port]);

        [$exit, $scenarios] = $this->workbench->bench(
            '--drivers=redis',
            '--scenario=deep',
            '--jobs=1000',
            '--deep=70000',
            '--runs=1',
            '--workers=2',
        );

        [$few, $many] = $scenarios['deep']->all;
        self::assertSame('', $few->refused);
        self::assertSame(1_000, $few->outcomes[0]->executions, 'What fits is measured.');
        self::assertSame([], $many->outcomes);
        self::assertMatchesRegularExpression(
            '/\Aredis, 70,000 \w+: 70,000 \D+\d{3} \D+[\d.]+ MB \D+[\d.]+ MB\b.*\bmaxmemory \D+41\.9 MB \('.$policy
                .'\)\D+[\d.]+ MB .*--jobs, --seconds, --deep\b.*--with-servers/',
            $many->refused,
        );
        Snapshot::assertPrinted('bench', "jobs that do not fit into a Redis with {$policy}", $many->refused);
        self::assertSame(1, $exit);
        self::assertSame(self::KEYS, $server->ask('DBSIZE'));
        $server->stop();
    }

    /** @return array<int, array{string}> */
    public static function scenarios(): array
    {
        return Sample::of([
            ['phpredis'],
            ['predis'],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('scenarios')]
    public function a_redis_cluster_is_measured_with_persistent_connections_and_without(string $client): void
    {
        $this->workbench = new Workbench([
            'REDIS_CLIENT' => $client,
            'REDIS_CLUSTER_NODES' => implode(',', SharedRedis::clusterNodes()),
            'REDIS_QUEUE_CONNECTION' => 'shared',
        ]);

        [, $scenarios] = $this->workbench->bench(
            '--drivers=redis',
            '--scenario=empty,persistent',
            '--jobs=300',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        $findings = [...$scenarios['empty']->all, ...$scenarios['persistent']->all];
        self::assertSame(
            ['redis', 'redis', 'redis'],
            array_map(static fn (Finding $finding): string => $finding->variant->driver(), $findings),
        );
        self::assertCount(
            3,
            array_unique(array_map(static fn (Finding $finding): string => $finding->variant->name, $findings)),
        );
        self::assertSame(['', '', ''], array_map(static fn (Finding $finding): string => $finding->refused, $findings));
        self::assertSame(
            [300, 300, 300],
            array_map(static fn (Finding $finding): int => $finding->outcomes[0]->executions, $findings),
        );
    }

    #[Test, Group('day-2')]
    public function persistent_connections_are_measured_after_other_connections(): void
    {
        $this->workbench = new Workbench(['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) SharedRedis::port()]);

        [, $scenarios] = $this->workbench->bench(
            '--drivers=redis',
            '--scenario=persistent',
            '--jobs=100',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        self::assertSame(
            ['', ''],
            array_map(static fn (Finding $finding): string => $finding->refused, $scenarios['persistent']->all),
        );
    }

    #[Test]
    #[TestWith(['--jobs'])]
    #[TestWith(['--deep'])]
    public function a_number_of_jobs_that_no_queue_is_meant_for_is_refused(string $option): void
    {
        $this->workbench = new Workbench;

        $process = $this->workbench->artisan('headroom:bench:queues', '--drivers=redis', "{$option}=10000001");

        self::assertSame(2, $process->getExitCode());
        Sentence::assertNames(
            [$option, "'10000001'", '1', '10000000'],
            $process->getErrorOutput().$process->getOutput(),
        );
    }
}
