<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket in Redis that is declared no longer.
 */
final class RedisRetirementTest extends RedisTestCase
{
    #[Test]
    public function an_empty_one_leaves_no_key_and_a_later_event_arrives_once(): void
    {
        $this->world->append(['1', '2']);
        $this->flush();

        self::assertSame(RetirementOutcome::Retired, $this->world->runtime()->stores()->retire('events'));
        self::assertSame([], $this->keysOf('events'));
        self::assertNotContains('events', $this->world->runtime()->stores()->buckets());
        $this->world->append(['3']);
        $this->flush();
        $rows = $this->world->rows();
        sort($rows);
        self::assertSame(['1', '2', '3'], $rows);
    }

    #[Test]
    public function one_with_events_or_an_owner_stays(): void
    {
        $this->world->append(['1']);
        self::assertSame(RetirementOutcome::EventsWait, $this->world->runtime()->stores()->retire('events'));
        $owner = $this->child('flush', points: ['redis.claimed' => Act::Wait]);
        $owner->awaitPoint('redis.claimed');
        self::assertSame(RetirementOutcome::Busy, $this->world->runtime()->stores()->retire('events'));
        $owner->goOn();
        self::assertSame(1, $owner->result()['delivered']);
        $this->assertDeliveredOnce(['1']);
    }

    /** @return list<string> */
    private function keysOf(string $bucket): array
    {
        $client = (new RedisSide([$this->redis->port]))->client();

        return array_values(array_filter(
            (new Keys($bucket))->all(),
            static fn (string $key): bool => $client->command($key, ['EXISTS', $client->key($key)]) === 1,
        ));
    }
}
