<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Drivers\RedisMemory;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Run\ExceptionMappingDriver;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Workload;
use Headroom\Tests\Laravel\Support\QueueBench;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Redis\Resp;
use Headroom\Tests\Support\Redis\SharedRedis;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Redis\RedisManager;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;

/** The effects of headroom:bench:queues on an application's Redis, and its queries. */
#[Group('snapshot')]
final class QueuesOfRedisTest extends TestCase
{
    private ?QueueBench $bench = null;

    private ?RedisServer $server = null;

    protected function tearDown(): void
    {
        $this->bench?->shut();
        $this->server?->stop();
        $this->bench = $this->server = null;
    }

    /** @param non-empty-list<string> $rule */
    #[Test]
    #[TestWith([['-config']])]
    #[TestWith([['-config', '-info']])]
    public function a_setting_that_is_unknown_makes_no_promise(array $rule): void
    {
        foreach (['phpredis', 'predis'] as $client) {
            $bench = $this->bench(['REDIS_CLIENT' => $client]);
            $info = (string) $this->server?->info('server');
            $software = preg_match('/^valkey_version:(\S+)/m', $info, $m) === 1
                ? "Valkey {$m[1]}"
                : 'Redis '.preg_replace('/.*^redis_version:(\S+).*/ms', '$1', $info);
            $this->server?->ask('ACL', 'SETUSER', 'default', ...$rule);

            $facts = $bench->rows('redis')[0]->variant->facts;

            self::assertSame([Durability::Unknown, []], [$facts->durability, $facts->settings]);
            $case = in_array('-info', $rule, true)
                ? 'neither durability nor clients are known'
                : 'the durability is unknown';
            Snapshot::assertPrinted('bench queues', $case, implode("\n", $facts->notes));
            self::assertSame(in_array('-info', $rule, true) ? 'Redis' : $software, $facts->software);
            $this->tearDown();
        }
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function other_queues_below_the_prefix_and_other_clients_are_reported(string $client): void
    {
        $prefix = 'a[b]*?\\{';
        $bench = $this->bench(['REDIS_CLIENT' => $client], ['database.redis.options.prefix' => $prefix]);
        $other = new Redis;
        $other->connect('127.0.0.1', (int) $this->server?->port);

        foreach (['queues:mails', 'queues:mails:delayed', 'queues:17', 'queues:x:reserved', 'queues:{y}'] as $key) {
            $other->rPush("{$prefix}{$key}", 'job');
        }

        foreach (['queues:of-another', 'ab-queues:z', "{$prefix}key", "x{$prefix}queues:z"] as $key) {
            $other->rPush($key, 'job');
        }

        $notes = $bench->rows('redis')[0]->variant->facts->notes;

        self::assertCount(2, $notes);
        $words = (string) preg_replace('/\d+ commands/', '9 commands', implode("\n", $notes));
        Snapshot::assertPrinted('bench queues', 'others use the same Redis', $words);
        Sentence::assertNames(['4', '17', 'mails', 'x', '1'], $notes[0]);
        self::assertMatchesRegularExpression('/\b1 other/', $notes[1]);
        $other->close();
    }

    #[Test]
    public function a_redis_of_its_own_has_no_others(): void
    {
        $bench = $this->bench();

        self::assertSame([], $bench->rows('redis')[0]->variant->facts->notes);
        foreach ($bench->rows('redis', Scenario::Persistent, new BenchOptions(jobs: 10)) as $row) {
            $row->driver->push(0, 10, $row->variant->workload);
        }

        self::assertSame(
            [],
            $bench->rows('redis')[0]->variant->facts->notes,
            'Its connections are not those of others.',
        );
        $bench->make(Repository::class)
            ->set('queue.connections.second', ['driver' => 'redis', 'connection' => 'default']);
        $notes = implode("\n", $bench->rows('second')[0]->variant->facts->notes);
        self::assertStringNotContainsString('headroom-bench', $notes, 'Its own queue is not another one.');
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_redis_that_refuses_info_is_not_filled(string $client): void
    {
        $bench = $this->bench(['REDIS_CLIENT' => $client]);
        $row = $bench->rows('redis')[0];
        $this->server?->ask('ACL', 'SETUSER', 'default', '-info');
        $this->expectException(UnableToBench::class);
        $this->expectExceptionMessage(UnableToBench::memoryUnknown('redis')->getMessage());

        ExceptionMappingDriver::around($row)->driver->push(0, 10, $row->variant->workload);
    }

    /** @return array<int, array{int<0, max>}> */
    public static function payloads(): array
    {
        return Sample::of([
            [0],
            [1_000],
            [10_000],
            [60_000],
        ], 1);
    }

    /** @param int<0, max> $payload */
    #[Test, Group('day-2')]
    #[DataProvider('payloads')]
    public function jobs_take_no_more_memory_than_was_asked_for_and_hardly_less(int $payload): void
    {
        $bench = $this->bench();
        $row = $bench->rows('redis')[0];
        $chunk = max(1, min(500, intdiv(1_000_000, 1 + $payload)));
        $jobs = max(1, intdiv(20_000_000, (700 + $payload) * $chunk)) * $chunk;
        $workload = new Workload($jobs, 0, 1, payloadBytes: $payload);
        $row->driver->push(0, 1, new Workload(1, 0, 1, payloadBytes: $payload));
        $key = 'workbench_queues:'.(is_string($row->work['queue']) ? $row->work['queue'] : '');
        $job = $this->server?->ask('LINDEX', $key, '0');
        $bytes = is_string($job) ? strlen($job) : 0;
        $row->driver->reset();
        $this->server?->ask('CONFIG', 'RESETSTAT');
        $before = $this->memory('used_memory');

        for ($first = 0; $first < $jobs; $first += $chunk) {
            $row->driver->push($first, $chunk, $workload);
        }

        $needed = RedisMemory::needed($jobs, $bytes);
        $taken = $this->memory('used_memory') - $before;
        self::assertGreaterThan(0, $bytes);
        self::assertLessThanOrEqual($needed, $this->memory('used_memory_peak') - $before, 'At no moment.');
        self::assertGreaterThan($needed / 2, $taken, 'More is not asked for than is reasonable.');
    }

    #[Test]
    public function jobs_that_do_not_fit_any_more_are_refused_while_others_write(): void
    {
        $bench = $this->bench(options: ['maxmemory' => '60mb', 'maxmemory-policy' => 'noeviction']);
        $row = $bench->rows('redis')[0];
        $workload = new Workload(20_000, 0, 1);
        $row->driver->push(0, 500, $workload);

        foreach (range(1, 12) as $number) {
            $this->server?->ask('SET', "of-the-application-{$number}", str_repeat('x', 3_000_000));
        }

        try {
            $row->driver->push(500, 500, $workload);
            self::fail('They were pushed.');
        } catch (UnableToBench $e) {
            Sentence::assertNames(['redis', '19,500'], $e->getMessage());
            Sentence::assertNames(['maxmemory', '62.9 MB', 'noeviction'], $e->getMessage());
            self::assertMatchesRegularExpression('/ 3\d\.\d MB /', $e->getMessage(), 'So much is used.');
            Snapshot::assertPrinted('bench queues', 'jobs do not fit into Redis', $e->getMessage());
        }
    }

    #[Test]
    public function a_redis_without_maxmemory_gets_no_more_than_half_of_its_machine(): void
    {
        $memory = RedisMemory::told([
            'maxmemory' => '0',
            'used_memory' => '100000000',
            'total_system_memory' => '1000000000',
            'maxmemory_policy' => 'noeviction',
        ]);

        self::assertNotNull($memory);
        self::assertTrue($memory->has(400_000_000));
        self::assertFalse($memory->has(400_000_001));
        Sentence::assertNames(['400.0 MB', 'maxmemory', '500.0 MB', '100.0 MB'], $memory->words());
        Snapshot::assertPrinted('bench queues', 'a Redis without maxmemory', $memory->words());
        self::assertNull(
            RedisMemory::told(['maxmemory' => '0', 'used_memory' => '100000000']),
            'Its limit is unknown.',
        );
    }

    /** Laravel's own config/database.php sets it for all connections, and phpredis applies these last. */
    #[Test]
    public function a_connection_is_persistent_when_that_is_measured_and_only_then(): void
    {
        foreach (['', '1'] as $usual) {
            $bench = $this->bench(['REDIS_PERSISTENT' => $usual]);
            $kept = [];

            foreach ($bench->rows('redis', Scenario::Persistent, new BenchOptions(jobs: 10)) as $row) {
                $row->driver->push(0, 10, $row->variant->workload);
                self::assertSame(10, $row->driver->size());
                $row->driver->reset();
                $client = $bench->make(RedisManager::class)
                    ->connection(is_string($row->work['connection']) ? $row->work['connection'] : null)
                    ->client();
                self::assertInstanceOf(Redis::class, $client);
                $kept[$row->variant->name] = $client->getPersistentID() !== null;
            }

            self::assertSame(['redis, not persistent' => false, 'redis, persistent' => true], $kept);
            $this->tearDown();
        }
    }

    /** @return array<int, array{string}> */
    public static function librariesOnACluster(): array
    {
        return Sample::of([
            ['phpredis'],
            ['predis'],
        ], 1);
    }

    #[Test]
    #[DataProvider('librariesOnACluster')]
    public function connections_to_a_cluster_are_persistent_when_that_is_measured_and_only_then(string $client): void
    {
        $this->bench = $bench = new QueueBench([
            'REDIS_CLIENT' => $client,
            'REDIS_CLUSTER_NODES' => implode(',', SharedRedis::clusterNodes()),
            'REDIS_QUEUE_CONNECTION' => 'shared',
            'REDIS_PERSISTENT' => '',
        ]);
        $rows = array_reverse($bench->rows('redis', Scenario::Persistent, new BenchOptions(jobs: 10)));
        self::assertSame(
            ['redis, persistent', 'redis, not persistent'],
            array_map(static fn (DriverUnderTest $row): string => $row->variant->name, $rows),
        );
        $opened = [];

        foreach ($rows as $row) {
            $before = self::clients();
            $row->driver->push(0, 10, $row->variant->workload);
            self::assertSame(10, $row->driver->size());
            $row->driver->reset();
            $opened[] = array_diff(self::clients(), $before);
            // No object in this process holds it any more.
            $bench->make(RedisManager::class)
                ->purge(is_string($row->work['connection']) ? $row->work['connection'] : null);
            gc_collect_cycles();
        }

        [$kept, $closed] = $opened;
        self::assertNotSame([], $closed);
        Patience::until(
            static fn (): bool => array_intersect($closed, self::clients()) === [],
            'what is not persistent is closed',
        );
        self::assertNotSame([], array_intersect($kept, self::clients()));
    }

    /** @return list<string> node and number of each connection to the cluster */
    private static function clients(): array
    {
        $clients = [];

        foreach (SharedRedis::clusterNodes() as $node) {
            $list = Resp::ask((int) explode(':', $node)[1], 'CLIENT', 'LIST', 'TYPE', 'NORMAL');
            preg_match_all('/^id=\d+/m', is_string($list) ? $list : '', $ids);
            array_push($clients, ...array_map(static fn (string $id): string => "{$node} {$id}", $ids[0]));
        }

        return $clients;
    }

    #[Test]
    public function a_question_to_a_silent_server_can_be_interrupted(): void
    {
        // phpredis 5 fails at that moment, and PHP forgets a signal that comes with a failure.
        $bench = $this->bench(['REDIS_CLIENT' => 'predis'], ['database.redis.default.read_write_timeout' => 2.0]);
        $bench->make(RedisManager::class)->connection()->command('ping');
        $this->server?->freeze();
        QueueBench::interruptSoon();
        $this->expectException(Interrupted::class);

        $bench->rows('redis');
    }

    #[Test]
    public function a_question_to_a_silent_cache_store_can_be_interrupted(): void
    {
        $bench = $this->bench(
            ['REDIS_CLIENT' => 'predis', 'BEANSTALKD_QUEUE_PORT' => '1'],
            [
                'cache.stores' => ['mute' => ['driver' => 'redis', 'connection' => 'cache']],
                'database.redis.cache.read_write_timeout' => 2.0,
            ],
        );
        $this->server?->freeze();
        QueueBench::interruptSoon();
        $this->expectException(Interrupted::class);

        $bench->rows('beanstalkd', Scenario::Cache);
    }

    /**
     * @param array<string, string> $environment
     * @param array<string, mixed> $config by keys with dots
     * @param array<string, string|int> $options of the server
     */
    private function bench(array $environment = [], array $config = [], array $options = []): QueueBench
    {
        $this->server = RedisServer::start($options);

        return $this->bench = new QueueBench(
            ['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $this->server->port, ...$environment],
            $config,
        );
    }

    private function memory(string $name): int
    {
        return preg_match("/^{$name}:(\d+)/m", (string) $this->server?->info('memory'), $m) === 1 ? (int) $m[1] : 0;
    }
}
