<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * A replica takes over from a server that is gone: what it lacks, and what may not come of that.
 */
final class RedisFailoverTest extends RedisTestCase
{
    private RedisServer $replica;

    protected function setUp(): void
    {
        parent::setUp();
        $this->replica = RedisServer::replicaOf($this->redis);
        $this->redis->ask('SET', 'warm', '1');
        // Online is not yet following.
        Patience::until(
            fn (): bool => $this->isReplicated() && $this->replica->ask('GET', 'warm') === '1',
            'the replica follows',
        );
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->replica->stop();
    }

    #[Test]
    public function nothing_is_handed_over_that_the_replica_does_not_have(): void
    {
        $this->world->append(['a']);
        $this->replica->freeze();
        $report = $this->world->flush();
        Sentence::assertIn(
            StorageUnavailable::replicasBehind('events', 0, 1, Sentence::NUMBER),
            $report->failure?->getMessage(),
        );
        self::assertSame([], $this->world->rows());
        $this->replica->thaw();

        Patience::until(fn (): bool => $this->world->flush()->failure === null, 'the replica has it');
        $this->assertDeliveredOnce(['a']);
    }

    #[Test]
    #[TestDox('Redis fails over')]
    public function with_wait_an_acknowledged_event_outlives_the_server_that_took_it(): void
    {
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], wait: 1, waitMillis: 9_000));
        $this->world->append(['replicated']);
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -60_000);
        $this->world->append(['replicated too']);
        $this->replica->freeze();
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], wait: 1));
        $this->world->append(['not replicated']);
        self::assertSame(1, $this->world->status()->storage->onDisk);
        $this->takeOver(wait: 0);

        $this->flush();
        $this->assertDeliveredOnce(['replicated', 'replicated too', 'not replicated']);
    }

    #[Test]
    public function with_wait_the_disk_forgets_nothing_that_only_the_server_has_that_dies_next(): void
    {
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], wait: 1, waitMillis: 9_000));
        $this->world->append(['replicated']);
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -60_000);
        $this->world->append(['replicated too']);
        $this->replica->freeze();
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], wait: 1));
        $this->world->append(['not replicated']);
        // Twice: the second one finds that Redis has taken it.
        self::assertNotNull($this->world->flush()->failure);
        self::assertNotNull($this->world->flush()->failure);
        self::assertSame(1, $this->world->status()->storage->onDisk);
        $this->takeOver(wait: 0);

        $this->flush();
        $this->assertDeliveredOnce(['replicated', 'replicated too', 'not replicated']);
    }

    #[Test]
    public function without_wait_exactly_the_unreplicated_events_are_lost_and_told(): void
    {
        $this->world->append(['a', 'b']);
        Patience::until(fn (): bool => $this->world->flush()->failure === null, 'the replica has it');
        Patience::until($this->isReplicated(...), 'the replica has all');
        $this->replica->ask('REPLICAOF', 'NO', 'ONE');
        $this->world->append(['lost 1', 'lost 2']);
        $this->world->runtime()->stores()->claim('events')?->close(Position::start());
        $this->takeOver();
        $this->world->append(['c']);
        self::assertNotNull($this->world->status()->setBack);
        $report = $this->flush();
        self::assertNull($this->world->status()->setBack);

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
        Sentence::assertIn(
            MissingRange::tailGone('events', 2, 2, Sentence::ANY)->message,
            array_values($report->losses)[0]->message ?? '',
        );
        $this->assertAccounts(accepted: 5, delivered: 3, pending: 0, missing: 2);
    }

    #[Test]
    public function delivered_events_that_redis_forgot_do_not_come_again_and_new_ones_do(): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(['a', 'b', 'c', 'd']);
        Patience::until($this->isReplicated(...), 'the replica has all');
        // It follows no more, and lacks what comes now.
        $this->replica->ask('REPLICAOF', 'NO', 'ONE');
        $this->awaitNoReplica();
        $this->world->append(['lost from redis, in the database']);
        $this->flush();
        self::assertCount(5, $this->world->rows());
        $this->takeOver();
        $this->world->append(['new 1', 'new 2']);
        $this->flush();

        $rows = $this->world->rows();
        self::assertSame(['a', 'b', 'c', 'd', 'lost from redis, in the database', 'new 1', 'new 2'], $rows);
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        self::assertSame([], $letters, 'What the replica had is delivered, as the ledger says.');
        $status = $this->world->status();
        self::assertSame(
            [7, 7, 0, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
        );
    }

    /** It has told that it has each byte. */
    private function isReplicated(): bool
    {
        return preg_match('/offset=(\d+),lag=\d.*master_repl_offset:\1\b/s', $this->redis->info('replication')) === 1;
    }

    private function awaitNoReplica(): void
    {
        Patience::until(
            fn (): bool => ! str_contains($this->redis->info('replication'), 'state=online'),
            'nobody follows',
        );
    }

    private function takeOver(int $wait = 0): void
    {
        $this->redis->kill();
        $this->replica->thaw();
        $this->replica->ask('REPLICAOF', 'NO', 'ONE');
        $this->world = $this->world->withRedis(new RedisSide([$this->replica->port], wait: $wait));
    }
}
