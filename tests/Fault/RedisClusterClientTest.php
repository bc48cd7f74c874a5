<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisClusterServers;
use Headroom\Tests\Support\Redis\RedisLibrary;
use Headroom\Tests\Support\Redis\Resp;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A cluster takes seconds to start and to fail over, so both libraries share it in each test.
 */
final class RedisClusterClientTest extends TestCase
{
    private const KEY = '{a}:log';

    private ?RedisClusterServers $cluster = null;

    protected function tearDown(): void
    {
        $this->cluster?->stop();
    }

    #[Test, Group('day-2')]
    public function a_master_that_dies_is_not_reached_until_its_replica_has_taken_over(): void
    {
        $cluster = $this->cluster();
        $clients = $this->clients($cluster, new SetClock(1_000_000));
        $old = $cluster->masterOf(self::KEY);

        foreach ($clients as $name => $client) {
            self::assertSame(
                1,
                $client->script("return redis.call('RPUSH', KEYS[1], ARGV[1])", [self::KEY.$name], ['before']),
            );
            self::assertSame(1, $client->command(self::KEY.$name, ['WAIT', 1, 9_000]));
        }

        // These know where the key is and have no connection to it.
        $elsewhere = $this->clients(
            $cluster,
            new SetClock(1_000_000),
            array_values(array_diff($cluster->seeds(), ["127.0.0.1:{$old}"])),
        );
        array_map(static fn (Client $client): mixed => $client->command('{b}', ['PING']), $elsewhere);

        // It takes over when this has seen what is before.
        [$replica] = $cluster->replicasOf(self::KEY);
        Resp::ask($replica, 'CONFIG', 'SET', 'cluster-replica-no-failover', 'yes');
        $cluster->kill($old);

        foreach ($clients as $name => $client) {
            // The connection that broke leaves the first one in doubt.
            self::assertSame(['', true], self::failure($client, ['RPUSH', self::KEY.$name, 'doubtful']));
            self::assertSame(['', false], self::failure($client, ['RPUSH', self::KEY.$name, 'refused']));
        }

        Resp::ask($replica, 'CONFIG', 'SET', 'cluster-replica-no-failover', 'no');
        $cluster->awaitTakenOver(self::KEY, $old);

        foreach ($clients as $name => $client) {
            self::assertSame(
                2,
                $client->script("return redis.call('RPUSH', KEYS[1], ARGV[1])", [self::KEY.$name], ['after']),
            );
            self::assertSame(
                ['before', 'after'],
                $client->command(self::KEY.$name, ['LRANGE', self::KEY.$name, 0, -1]),
            );
            self::assertSame(
                3,
                $elsewhere[$name]->command(self::KEY.$name, ['RPUSH', self::KEY.$name, 'from elsewhere']),
            );
        }
    }

    #[Test, Group('day-1')]
    public function a_master_that_comes_back_as_a_replica_sends_its_clients_on(): void
    {
        $cluster = $this->cluster();
        $clients = $this->clients($cluster);
        $idle = $this->clients($cluster, new SetClock(1_000_000));
        $old = $cluster->masterOf(self::KEY);

        foreach ([...array_values($clients), ...array_values($idle)] as $i => $client) {
            self::assertSame($i + 1, $client->command(self::KEY, ['INCR', self::KEY]));
        }

        [$replica] = $cluster->replicasOf(self::KEY);
        Resp::ask($replica, 'CONFIG', 'SET', 'cluster-replica-no-failover', 'yes');
        $written = self::offset($old, 'master_repl_offset');
        Patience::until(
            static fn (): bool => self::offset($replica, 'slave_repl_offset') >= $written,
            'the replica has what was written',
        );
        $cluster->freeze($old);
        $impatient = RedisLibrary::PhpRedis->clusterClient($cluster->seeds(), seconds: 1.0);
        self::assertSame('', self::failure($impatient, ['INCR', self::KEY])[0], 'It is silent.');
        Resp::ask($replica, 'CONFIG', 'SET', 'cluster-replica-no-failover', 'no');
        $new = $cluster->awaitTakenOver(self::KEY, $old);
        self::assertNotSame($old, $new);
        $cluster->thaw($old);
        Patience::until(
            static fn (): bool => str_contains((string) json_encode(Resp::ask($old, 'ROLE')), 'slave'),
            'the old master follows',
        );
        // A node that comes back reports for two seconds that the cluster is down: CLUSTER_WRITABLE_DELAY.
        Patience::until(
            static fn (): bool => str_contains(self::text(Resp::ask($old, 'CLUSTER', 'INFO')), 'cluster_state:ok'),
            'the old master takes part again',
        );

        foreach ([...array_values($clients), ...array_values($idle)] as $client) {
            $before = Resp::ask($new, 'GET', self::KEY);
            self::assertIsString($before);
            self::assertSame((int) $before + 1, $client->command(self::KEY, ['INCR', self::KEY]));
            self::assertStringContainsString(
                "tcp_port:{$new}\r\n",
                self::text($client->command(self::KEY, ['INFO', 'server'])),
            );
        }
    }

    #[Test, Group('day-3')]
    public function a_slot_on_its_way_to_another_node_and_a_cluster_that_lacks_one(): void
    {
        $cluster = $this->cluster();
        $clients = $this->clients($cluster);
        $from = $cluster->masterOf(self::KEY);
        $to = $cluster->masterOf('{b}');
        self::assertNotSame($from, $to);
        $slot = Resp::ask($from, 'CLUSTER', 'KEYSLOT', self::KEY);
        self::assertIsInt($slot);

        foreach ($clients as $name => $client) {
            self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY.":stays-{$name}", 'here']));
        }

        Resp::ask($to, 'CLUSTER', 'SETSLOT', $slot, 'IMPORTING', self::id($from));
        Resp::ask($from, 'CLUSTER', 'SETSLOT', $slot, 'MIGRATING', self::id($to));

        foreach ($clients as $name => $client) {
            self::assertSame('here', $client->command(self::KEY, ['GET', self::KEY.":stays-{$name}"]));
            self::assertSame(
                1,
                $client->script("return redis.call('INCR', KEYS[1])", [self::KEY.":new-{$name}"]),
                'ASK was followed.',
            );
            self::assertSame(2, $client->script("return redis.call('INCR', KEYS[1])", [self::KEY.":new-{$name}"]));
            $both = [self::KEY.":stays-{$name}", self::KEY.":new-{$name}"];
            self::assertSame(['TRYAGAIN', false], self::failure($client, ['MGET', ...$both]));
        }

        $cluster->kill($cluster->replicasOf(self::KEY)[0]);
        $cluster->kill($from);
        Patience::until(
            static fn (): bool => str_contains(self::text(Resp::ask($to, 'CLUSTER', 'INFO')), 'cluster_state:fail'),
            'the cluster is down',
        );

        foreach ($clients as $client) {
            $client->command('{b}', ['PING']);
            self::assertSame(['CLUSTERDOWN', false], self::failure($client, ['INCR', '{b}'], '{b}'));
        }
    }

    /**
     * @param list<string> $seeds all when there are none
     * @return array{phpredis: Client, predis: Client}
     */
    private function clients(RedisClusterServers $cluster, ?SetClock $clock = null, array $seeds = []): array
    {
        $seeds = $seeds === [] ? $cluster->seeds() : $seeds;
        $make = static fn (RedisLibrary $library): Client
            => $library->clusterClient($seeds, clock: $clock ?? new SystemClock);

        return ['phpredis' => $make(RedisLibrary::PhpRedis), 'predis' => $make(RedisLibrary::Predis)];
    }

    /**
     * @param non-empty-list<string|int> $command
     * @return array{string, bool}
     */
    private static function failure(Client $client, array $command, string $key = self::KEY): array
    {
        try {
            $reply = $client->command($key, $command);
        } catch (RedisFailure $e) {
            return [$e->kind, $e->mayHaveRun];
        }

        self::fail('It was answered: '.json_encode($reply));
    }

    private static function id(int $port): string
    {
        return self::text(Resp::ask($port, 'CLUSTER', 'MYID'));
    }

    private static function offset(int $port, string $field): int
    {
        $isTold = preg_match("/^{$field}:(\d+)/m", self::text(Resp::ask($port, 'INFO', 'replication')), $told) === 1;

        return $isTold ? (int) $told[1] : -1;
    }

    private static function text(mixed $reply): string
    {
        self::assertIsString($reply);

        return $reply;
    }

    private function cluster(): RedisClusterServers
    {
        Installed::phpRedis();

        return $this->cluster ??= RedisClusterServers::start();
    }
}
