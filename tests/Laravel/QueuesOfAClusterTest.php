<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\QueueBench;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Redis\SharedRedis;
use Illuminate\Queue\QueueManager;
use Illuminate\Redis\Connections\Connection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Throwable;

/**
 * On a cluster, all keys of a queue must be in one slot. The application's own queue shows whether they are.
 */
final class QueuesOfAClusterTest extends TestCase
{
    private ?QueueBench $bench = null;

    private ?RedisServer $server = null;

    protected function tearDown(): void
    {
        $this->bench?->shut();
        $this->server?->stop();
        $this->bench = $this->server = null;
    }

    /** @return iterable<string, array{string, string, bool}> */
    public static function names(): iterable
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
    #[DataProvider('names')]
    public function a_queue_that_fails_on_a_cluster_is_reported(string $client, string $queue, bool $lacksTag): void
    {
        $bench = $this->bench([
            'REDIS_CLIENT' => $client,
            'REDIS_CLUSTER_NODES' => implode(',', SharedRedis::clusterNodes()),
            'REDIS_QUEUE_CONNECTION' => 'shared',
        ], $queue);
        // Newer versions of Laravel 13 add the tag that a name lacks.
        $fails = $lacksTag && ! method_exists(Connection::class, 'hasHashTag');

        self::assertSame($fails, self::fails($bench));
        self::assertCount($fails ? 1 : 0, self::crossSlots($bench));
    }

    #[Test]
    #[TestWith(['phpredis', 'default', true])]
    #[TestWith(['phpredis', '{default}', false])]
    #[TestWith(['predis', 'default', true])]
    #[TestWith(['predis', '{default}', false])]
    public function a_single_address_may_lead_to_a_cluster(string $client, string $queue, bool $fails): void
    {
        $this->server = $server = RedisServer::start(['cluster-enabled' => 'yes']);
        $server->ask('CLUSTER', 'ADDSLOTS', ...range(0, 16_383));
        Patience::until(
            static fn (): bool => preg_grep('/cluster_state:ok/', [$server->ask('CLUSTER', 'INFO')]) !== [],
            'the node serves all slots',
        );
        $bench = $this->bench([
            'REDIS_CLIENT' => $client,
            'REDIS_HOST' => '127.0.0.1',
            'REDIS_PORT' => (string) $server->port,
        ], $queue);

        self::assertSame($fails, self::fails($bench));
        self::assertCount($fails ? 1 : 0, self::crossSlots($bench));
    }

    /** @param array<string, string> $environment */
    private function bench(array $environment, string $queue): QueueBench
    {
        return $this->bench = new QueueBench($environment, ['queue.connections.redis.queue' => $queue]);
    }

    private static function fails(QueueBench $bench): bool
    {
        try {
            $bench->make(QueueManager::class)->connection('redis')->size();
        } catch (Throwable) {
            return true;
        }

        return false;
    }

    /** @return array<int, string> */
    private static function crossSlots(QueueBench $bench): array
    {
        return array_filter(
            $bench->rows('redis')[0]->variant->facts->notes,
            static fn (string $note): bool => str_contains($note, 'CROSSSLOT'),
        );
    }
}
