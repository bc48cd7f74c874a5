<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\AddsForeignEntries;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The flush begins a new stream behind a foreign id: across a kill, without memory, on a replica and in the file.
 */
final class RedisNewStreamTest extends RedisTestCase
{
    use AddsForeignEntries;

    /** @return array<string, array{string}> */
    public static function stepsOfTheFlush(): array
    {
        return [
            'after it was set aside' => ['redis.set-aside'],
            'before the save' => ['redis.saving'],
            'after the save' => ['redis.saved'],
        ];
    }

    #[Test, Group('day-3')]
    #[DataProvider('stepsOfTheFlush')]
    public function a_flusher_that_is_killed_on_the_way_leaves_the_rest_to_the_next(string $point): void
    {
        $this->world->append(['a']);
        $this->addForeign('18446744073709551615-18446744073709551615');
        $this->child('flush', points: [$point => Act::Kill])->awaitKilled();
        $this->world->append(['b']);
        $this->redis->ask('DEL', $this->keys->owner);
        $this->world->flush();
        $this->world->append(['c']);
        $this->flush();

        $this->assertArrived(['a', 'b', 'c']);
        self::assertSame([0, 1], [$this->world->status()->events->pending, $this->world->status()->events->dead]);
    }

    #[Test]
    public function at_maxmemory_what_waits_is_delivered_and_events_come_back_with_the_memory(): void
    {
        $this->world->append(['a']);
        $this->addForeign('9007199254740993-0');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append(['b']);
        $this->world->flush();
        self::assertSame(['a'], $this->world->rows());
        $this->world->append(['c']);
        self::assertSame(
            [0, 2],
            [$this->redis->ask('XLEN', $this->keys->log), $this->world->status()->storage->onDisk],
        );
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
        $this->flush();

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
    }

    #[Test]
    public function letters_are_retried_at_maxmemory_into_a_stream_that_begins_again(): void
    {
        $this->world->append(['bad', 'good'], 'picky');
        $this->flush('picky');
        $log = (new Keys('picky'))->log;
        $this->redis->ask('XADD', $log, '18446744073709551615-18446744073709551615', 'hello', 'world');
        $this->redis->ask('XDEL', $log, '18446744073709551615-18446744073709551615');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        [$letter] = iterator_to_array($this->world->letters('picky')->letters(), false);

        self::assertSame(1, $this->world->letters('picky')->retry([$letter->position]));
        self::assertSame(
            [1, 0],
            [$this->world->status('picky')->events->pending, $this->world->status('picky')->storage->letters],
        );
    }

    #[Test]
    public function a_replica_has_the_new_stream_as_well(): void
    {
        $replica = RedisServer::replicaOf($this->redis);
        $there = $this->beginAnew();
        Patience::until(
            fn (): bool => $replica->ask('XRANGE', $this->keys->log, '-', '+') === $there,
            'the replica has it',
        );

        self::assertSame($this->lastId(), $this->lastId($replica));
        $replica->stop();
    }

    #[Test]
    public function the_append_only_file_has_the_new_stream_as_well(): void
    {
        $this->redis->restart(['appendonly' => 'yes', 'appendfsync' => 'always']);
        $there = $this->beginAnew();
        $last = $this->lastId();
        $this->redis->restart();

        self::assertSame([$last, $there], [$this->lastId(), $this->redis->ask('XRANGE', $this->keys->log, '-', '+')]);
    }

    #[Test]
    public function a_user_with_the_documented_rights_needs_no_more(): void
    {
        $this->redis->ask(
            'ACL',
            'SETUSER',
            'default',
            'resetkeys',
            '~{spool*',
            '-@all',
            '+@all',
            '-@admin',
            '-@dangerous',
            '+info',
        );
        $this->world->append(['a']);
        $this->addForeign('18446744073709551615-18446744073709551615');
        $this->world->append(['b']);
        $this->world->flush();
        $this->world->append(['c']);
        $this->flush();

        $this->assertArrived(['a', 'b', 'c']);
    }

    /** @return mixed the two entries that are in the new stream */
    private function beginAnew(): mixed
    {
        $this->world->append(['a']);
        $this->addForeign('18446744073709551615-18446744073709551615');
        Patience::until(fn (): bool => $this->world->flush()->failure === null, 'what was there is delivered');
        $this->world->append(['b', 'c']);
        $this->assertIdsAreOfToday(2);

        return $this->redis->ask('XRANGE', $this->keys->log, '-', '+');
    }
}
