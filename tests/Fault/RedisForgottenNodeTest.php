<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * spool:forget-node removes Redis's record of a machine's disk, and the disk may still come back.
 */
#[Group('snapshot')]
final class RedisForgottenNodeTest extends RedisTestCase
{
    #[Test]
    public function nothing_is_kept_of_it_and_others_are_left_alone(): void
    {
        $this->divert(['a']);
        $this->flush();
        $elsewhere = $this->world->withRoot('another machine');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $elsewhere->append(['b']);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
        $elsewhere->flush();
        self::assertCount(2, $this->known());
        $this->forget();

        self::assertSame(["drained:{$elsewhere->store()->node()}"], $this->known());
        $this->assertDeliveredOnce(['a', 'b']);
        $this->forget();
        self::assertCount(1, $this->known());
    }

    #[Test]
    #[TestWith([false])]
    #[TestWith([true])]
    public function a_forgotten_disk_that_redis_had_drained_doubles_nothing(bool $hasBefore): void
    {
        if ($hasBefore) {
            $this->divert(['before']);
            $this->flush();
        }

        $this->divert(['a', 'b']);
        $this->child('flush', points: ['drain.sent' => Act::Kill])->awaitKilled();
        $this->world->withRoot('another machine')->flush();
        $arrived = [...($hasBefore ? ['before'] : []), 'a', 'b'];
        self::assertSame($arrived, $this->world->rows());
        $this->forget();

        $report = $this->flush();
        self::assertSame($arrived, $this->world->rows());
        self::assertCount(2, $report->losses);
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        self::assertCount(2, $letters);
        self::assertInstanceOf(DeadLetter::class, $letters[0]);
        Snapshot::assertPrinted(
            'dead letters of a disk in doubt',
            'the disk was forgotten and came back',
            $letters[0]->reason,
        );
        self::assertSame(0, $this->world->status()->events->missing);
    }

    #[Test]
    public function one_that_had_noted_everything_comes_back_as_if_nothing_had_been(): void
    {
        $this->divert(['a']);
        $this->flush();
        $this->forget();
        self::assertSame([], $this->flush()->losses);
        $this->hoursLater();
        $this->divert(['b']);
        $this->flush();

        $this->assertDeliveredOnce(['a', 'b']);
        self::assertCount(1, $this->known());
    }

    #[Test]
    public function forgetting_one_disk_leaves_another_out_of_doubt(): void
    {
        $this->divert(['a']);
        $this->flush();
        $elsewhere = $this->world->withRoot('another machine');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $elsewhere->append(['b', 'c']);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
        $this->forget();
        $this->world = $elsewhere;
        $this->child('flush', points: ['drain.registered' => Act::Kill])->awaitKilled();

        self::assertSame([], $this->flush()->losses);
        $this->assertArrived(['a', 'b', 'c']);
    }

    #[Test]
    public function events_delivered_from_disk_stay_delivered_when_the_drain_is_killed(): void
    {
        $onDisk = $this->world->withoutRedis();
        $onDisk->append(['a', 'b']);
        $onDisk->flush();
        $onDisk->append(['c']);
        $this->child('flush', points: ['drain.registered' => Act::Kill])->awaitKilled();
        $this->flush();

        $this->assertArrived(['a', 'b', 'c']);
    }

    private function forget(): void
    {
        $this->world->runtime()->stores()->forget($this->world->store()->node());
    }

    /** Sets the time in Redis at which a node was forgotten to more than an hour ago. */
    private function hoursLater(): void
    {
        $at = $this->redis->ask('HGET', (new Keys('events'))->meta, 'nodes_forgotten_at');
        self::assertIsString($at);
        self::assertEqualsWithDelta(intdiv((new SystemClock)->micros(), 1000), (int) $at, 60_000);
        $this->redis->ask('HSET', (new Keys('events'))->meta, 'nodes_forgotten_at', (int) $at - 4_000_000);
    }

    /** @return list<string> */
    private function known(): array
    {
        $fields = $this->redis->ask('HKEYS', (new Keys('events'))->meta);

        return array_values(array_filter(
            is_array($fields) ? $fields : [],
            static fn (mixed $field): bool => is_string($field) && str_starts_with($field, 'drained:'),
        ));
    }

    /** @param list<string> $ids */
    private function assertArrived(array $ids): void
    {
        $rows = $this->world->rows();
        sort($rows);
        self::assertSame($ids, $rows);
    }

    /** @param list<string> $ids */
    private function divert(array $ids): void
    {
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append($ids);
        self::assertSame(count($ids), $this->world->status()->storage->onDisk);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
    }
}
