<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisClusterServers;
use Headroom\Tests\Support\Redis\Resp;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * Buckets in a Redis Cluster, each on the master that has its slot.
 */
final class RedisClusterTest extends FaultTestCase
{
    private static ?RedisClusterServers $cluster = null;

    protected function setUp(): void
    {
        parent::setUp();
        self::$cluster ??= RedisClusterServers::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$cluster?->stop();
        self::$cluster = null;
    }

    /** @return array<string, array{string}> */
    public static function clients(): array
    {
        return ['phpredis' => ['phpredis'], 'predis' => ['predis']];
    }

    #[Test]
    #[DataProvider('clients')]
    public function each_bucket_is_appended_and_flushed_on_the_master_of_its_slot(string $client): void
    {
        $this->useCluster($client);
        $this->world->append(['a', 'b', 'c']);
        $this->world->append(['x', 'y'], 'lines');
        $log = (new Keys('events'))->log;
        self::assertSame(3, Resp::ask(self::cluster()->masterOf($log), 'XLEN', $log));
        $this->flush();
        $this->flush('lines');

        $this->assertDeliveredOnce(['a', 'b', 'c']);
        self::assertSame(['x', 'y'], $this->world->lines());
        self::assertSame(
            ['events', 'lines'],
            array_values(array_intersect(['events', 'lines'], $this->world->runtime()->stores()->buckets())),
        );
    }

    #[Test, Group('day-3')]
    #[DataProvider('clients')]
    public function with_wait_nothing_acknowledged_is_lost_when_a_master_is_killed(string $client): void
    {
        $this->useCluster($client, wait: 1);
        $log = (new Keys('events'))->log;
        $this->world->append(['early']);
        Resp::ask(self::cluster()->masterOf($log), 'HINCRBY', (new Keys('events'))->meta, 'tokens_since', -600_000);
        $old = self::cluster()->masterOf($log);
        $this->world->append(self::ids('before', 50));
        self::cluster()->kill($old);
        $this->world->append(self::ids('meanwhile', 50));
        self::cluster()->awaitTakenOver($log, $old);
        touch("{$this->world->directory}/buffer/redis-down", 1);
        self::cluster()->restart($old);
        $this->world->append(self::ids('after', 50));
        $this->flushUntilDone();

        $this->assertDeliveredOnce([
            'early', ...self::ids('before', 50), ...self::ids('meanwhile', 50), ...self::ids('after', 50),
        ]);
    }

    /**
     * The old master follows the new one after some seconds only, and until then wait is in vain and all goes to disk.
     */
    private function flushUntilDone(): void
    {
        Patience::until(function (): bool {
            $this->world->flush();

            return $this->world->status()->events->pending === 0;
        }, 'all is delivered');
    }

    private function useCluster(string $client, int $wait = 0): void
    {
        foreach (['events', 'lines'] as $bucket) {
            $keys = new Keys($bucket);
            Resp::ask(self::cluster()->masterOf($keys->log), 'DEL', ...$keys->all());
        }

        $this->world = $this->world->withRedis(new RedisSide(self::cluster()->ports, $client, wait: $wait));
    }

    private static function cluster(): RedisClusterServers
    {
        return self::$cluster ?? throw new RuntimeException('There is no cluster.');
    }
}
