<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use Headroom\Process\Ports;
use Headroom\Tests\Laravel\Support\QueueBench;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Redis\SharedRedis;
use Headroom\Tests\Support\Sentence;
use Illuminate\Queue\QueueManager;
use Illuminate\Redis\Connections\Connection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use Throwable;

/**
 * Traits of an application's Redis that the copy of headroom:bench:queues lacks.
 */
final class RedisQueueNotesTest extends TestCase
{
    private ?QueueBench $bench = null;

    private ?RedisServer $server = null;

    protected function tearDown(): void
    {
        $this->bench?->shut();
        $this->server?->stop();
        $this->bench = $this->server = null;
    }

    /** @return iterable<string, array{string, string, string, bool}> */
    public static function singleConnections(): iterable
    {
        foreach (['phpredis', 'predis'] as $client) {
            yield "{$client} to a cluster" => [$client, 'yes', 'default', true];
            yield "{$client} to a cluster, with a tag" => [$client, 'yes', '{default}', false];
            yield "{$client} to a server by itself" => [$client, 'no', 'default', false];
        }
    }

    /** Hosted clusters have one address, under which Laravel's connection is one to a single server. */
    #[Test]
    #[DataProvider('singleConnections')]
    public function a_queue_that_fails_behind_one_address_is_reported(
        string $client,
        string $cluster,
        string $queue,
        bool $fails,
    ): void {
        $bench = $this->bench(
            // Its default, 10,000 above the port, may be the local port of a client's connection.
            static fn (): array => ['cluster-enabled' => $cluster, 'cluster-port' => Ports::free()],
            ['REDIS_CLIENT' => $client],
            ['queue.connections.redis.queue' => $queue],
        );

        if ($cluster === 'yes') {
            $this->server?->ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
            $info = fn (): mixed => $this->server?->ask('CLUSTER', 'INFO');
            $isUp = static fn (mixed $told): bool => is_string($told) && str_contains($told, 'cluster_state:ok');
            Patience::until(static fn (): bool => $isUp($info()), 'the cluster serves its keys');
        }

        $this->assertReported($bench, $fails);
    }

    /** @return iterable<string, array{string, string, bool}> */
    public static function queuesOnACluster(): iterable
    {
        foreach (['phpredis', 'predis'] as $client) {
            yield "{$client} without a tag" => [$client, 'default', true];
            yield "{$client} with a tag" => [$client, '{default}', false];
            yield "{$client} with an empty tag" => [$client, '{}default', true];
            yield "{$client} with half a tag" => [$client, '{default', true];
            yield "{$client} with a tag in its middle" => [$client, 'a{b}c', false];
        }
    }

    #[Test]
    #[DataProvider('queuesOnACluster')]
    public function a_queue_that_fails_on_a_cluster_is_reported(string $client, string $queue, bool $lacksTag): void
    {
        $this->bench = new QueueBench([
            'REDIS_CLIENT' => $client,
            'REDIS_CLUSTER_NODES' => implode(',', SharedRedis::clusterNodes()),
            'REDIS_QUEUE_CONNECTION' => 'shared',
        ], ['queue.connections.redis.queue' => $queue]);

        // Newer versions of Laravel 13 add the tag that a name lacks.
        $addsTag = (new ReflectionClass(Connection::class))->hasMethod('hasHashTag');
        $this->assertReported($this->bench, $lacksTag && ! $addsTag);
    }

    private function assertReported(QueueBench $bench, bool $fails): void
    {
        $failure = null;

        try {
            $bench->make(QueueManager::class)->connection('redis')->size();
        } catch (Throwable $e) {
            $failure = $e->getMessage();
        }

        $notes = implode("\n", $bench->rows('redis')[0]->variant->facts->notes);

        self::assertSame($fails, $failure !== null, "The queue itself says: {$failure}");
        self::assertSame($fails, str_contains($notes, 'CROSSSLOT'), $notes);
    }

    #[Test]
    #[TestWith(['allkeys-lru', '200mb', true])]
    #[TestWith(['allkeys-random', '200mb', true])]
    #[TestWith(['allkeys-lfu', '0', false])]
    #[TestWith(['volatile-lru', '200mb', false])]
    #[TestWith(['noeviction', '200mb', false])]
    public function a_redis_that_evicts_queues_is_reported(string $policy, string $most, bool $evicts): void
    {
        $bench = $this->bench(['maxmemory' => $most, 'maxmemory-policy' => $policy]);

        $notes = $bench->rows('redis')[0]->variant->facts->notes;

        self::assertCount($evicts ? 1 : 0, $notes, implode("\n", $notes));
        $evicts ? Sentence::assertNames([$policy], $notes[0]) : null;
    }

    #[Test]
    public function a_search_for_queues_that_ended_early_is_reported(): void
    {
        $bench = $this->bench();
        $fill = "for i = 1, 250000 do redis.call('SET', 'cache:' .. i, '') end";
        $this->server?->ask('EVAL', $fill, '0');

        $notes = $bench->rows('redis')[0]->variant->facts->notes;

        self::assertCount(1, $notes);
        Sentence::assertNames(['100,000'], $notes[0]);
    }

    /**
     * @param array<string, string|int>|Closure(): array<string, string|int> $options of the server
     * @param array<string, string> $environment
     * @param array<string, mixed> $config by keys with dots
     */
    private function bench(array|Closure $options = [], array $environment = [], array $config = []): QueueBench
    {
        $this->server = RedisServer::start($options);
        $server = ['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $this->server->port];

        return $this->bench = new QueueBench([...$server, ...$environment], $config);
    }
}
