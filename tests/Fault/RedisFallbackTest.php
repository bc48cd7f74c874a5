<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\RedisStore\Fallback\UnconfirmedAppend;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Redis that does not take an event: it goes to this machine's disk, and comes back.
 */
#[Group('snapshot')]
final class RedisFallbackTest extends RedisTestCase
{
    #[Test]
    #[TestDox('Redis down')]
    public function events_that_redis_could_not_take_wait_on_disk_and_return_in_order(): void
    {
        $this->world->append(['before']);
        $this->redis->kill();
        $this->world->append(self::ids('down', 450));
        self::assertNotNull($this->world->flush()->failure);
        self::assertSame(450, $this->world->status()->storage->onDisk);
        $this->redis->restart();
        // Redis has lost its data, because nothing was on its disk.
        $this->rested();
        $this->world->append(['after', 'after that']);
        self::assertSame(2, $this->redis->ask('XLEN', (new Keys('events'))->log), 'All know that it answers again.');
        $this->assertAccounts(accepted: 453, delivered: 0, pending: 452, missing: 1);

        self::assertSame(452, $this->flush()->delivered);
        self::assertSame(['after', 'after that', ...self::ids('down', 450)], $this->world->rows());
        $this->assertAccounts(accepted: 453, delivered: 452, pending: 0, missing: 1);
        self::assertSame(0, $this->world->status()->storage->onDisk);
    }

    #[Test]
    public function status_tells_that_a_part_of_this_disk_was_left_until_a_flush_succeeds(): void
    {
        $this->redis->kill();
        $this->world->append(['down']);
        $this->redis->restart();
        $this->rested();
        posix_mkfifo($strange = "{$this->world->layout()->active}/u0-0007.log", 0600);
        self::assertNotNull($this->world->flush()->failure);
        self::assertStringContainsString($strange, $this->world->status()->flush->trouble ?? '');
        unlink($strange);
        $this->flush();
        self::assertNull($this->world->status()->flush->trouble);
    }

    #[Test]
    public function an_incident_is_told_once_and_counted(): void
    {
        $this->redis->kill();
        $buffer = $this->world->buffer();
        $this->world->append(['a', 'b', 'c'], buffer: $buffer);

        self::assertCount(1, $this->world->logged(), implode("\n", $this->world->logged()));
        self::assertMatchesRegularExpression("/^warning: .*'events'.*\bredis\b.*\b1\b/", $this->world->logged()[0]);
        self::assertSame(['events redis on_disk 1'], $this->world->dispatched());
        self::assertSame(3, $this->world->status()->events->pending);
    }

    #[Test]
    public function redis_that_does_not_answer_is_not_asked_by_every_request(): void
    {
        $this->world->append(['earlier']);
        $this->tokensAreKnownForLong();
        $this->redis->freeze();
        $impatient = $this->world->withRedis(new RedisSide([$this->redis->port], timeout: 1.0));
        $impatient->append(['first']);
        $impatient->append(self::ids('next', 20));
        $this->redis->thaw();
        self::assertSame(
            2,
            $this->redis->ask('XLEN', (new Keys('events'))->log),
            'As soon as it goes on it takes what it was asked for.',
        );

        $this->flush();
        $this->assertDeliveredOnce(['earlier', 'first', ...self::ids('next', 20)]);
    }

    #[Test]
    public function an_append_whose_reply_was_lost_arrives_once_where_redis_had_taken_it(): void
    {
        $this->losesReply('lost reply');
        $this->redis->thaw();
        // It takes what was sent before as soon as it goes on.
        self::assertSame(2, $this->redis->ask('XLEN', (new Keys('events'))->log));
        self::assertSame(1, $this->world->status()->storage->onDisk);

        $this->flush();
        $this->assertDeliveredOnce(['earlier', 'lost reply']);
    }

    #[Test]
    public function an_append_whose_reply_was_lost_and_that_redis_never_got_arrives_once(): void
    {
        $this->redis->restart(['appendonly' => 'yes', 'appendfsync' => 'always']);
        $this->losesReply('lost with the server');
        $this->redis->restart();

        $this->flush();
        $this->assertDeliveredOnce(['earlier', 'lost with the server']);
    }

    #[Test]
    public function one_that_redis_can_know_nothing_of_any_more_becomes_a_letter(): void
    {
        $this->losesReply('in doubt');
        $this->redis->restart();

        $report = $this->flush();
        self::assertSame(0, $report->delivered);
        Sentence::assertIn(
            MissingRange::setAside(Position::start(), 1, Sentence::ANY)->message,
            array_values($report->losses)[0]->message ?? '',
        );
        $status = $this->world->status();
        self::assertSame(
            [2, 1, 0, 1],
            [$status->events->accepted, $status->events->dead, $status->events->pending, $status->events->missing],
            'The earlier one is lost.',
        );
        $letter = $this->firstLetter(1, 'Redis was asked and did not answer');

        self::assertSame(1, $this->world->letters()->retry([$letter->position]));
        $this->flush();
        self::assertSame(['in doubt'], $this->world->rows());
        $this->assertAccounts(accepted: 2, delivered: 1, pending: 0, missing: 1);
    }

    #[Test]
    public function an_append_that_arrives_late_does_not_double_a_drained_event(): void
    {
        $client = (new RedisSide([$this->redis->port]))->client();
        $this->world->append(['earlier']);
        $this->tokensAreKnownForLong();
        $late = [
            str_repeat('t', 12),
            '{"id":"late","body":"'.Event::of('late')['body'].'"}',
            1,
            (new SystemClock)->micros(),
            str_repeat('0', 32),
        ];
        $elsewhere = $this->world->withRedis(new RedisSide([1]));
        $elsewhere->append(['elsewhere']);
        (new SegmentWriter(AppendConfig::fromArray(['path' => "{$this->world->directory}/buffer"]), 'events'))->append(
            UnconfirmedAppend::mark($late[0], $late[1]),
            1,
        );
        touch("{$this->world->directory}/buffer/redis-down", 1);
        $this->flush();
        $client->script(Scripts::APPEND, (new Keys('events'))->ofAppend(), $late);

        $this->flush();
        $this->assertDeliveredOnce(['earlier', 'elsewhere', 'late']);
    }

    #[Test]
    public function events_that_redis_has_no_memory_for_go_to_disk_and_delivery_continues(): void
    {
        $this->world->append(self::ids('a', 5));
        $this->redis->ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append(['too many']);
        self::assertSame(1, $this->world->status()->storage->onDisk);
        $report = $this->world->flush();
        self::assertStringContainsString(
            'OOM',
            (string) $report->failure?->getMessage(),
            'What is on disk has to wait.',
        );
        self::assertTrue($report->isDelivered());
        self::assertSame(self::ids('a', 5), $this->world->rows(), 'What is in Redis has not.');
        self::assertSame('', $this->world->status()->flush->owner);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');

        $this->flush();
        $this->assertDeliveredOnce([...self::ids('a', 5), 'too many']);
    }

    /** @return array<string, array{string}> */
    public static function stepsOfTheDrain(): array
    {
        return [
            'before Redis takes it' => ['drain.sending'],
            'after Redis took it' => ['drain.sent'],
            'later, before Redis takes it' => ['drain.sending#2'],
            'later, after Redis took it' => ['drain.sent#2'],
        ];
    }

    #[Test, Group('day-3')]
    #[TestDox('flusher killed while it moves events from disk to Redis')]
    #[DataProvider('stepsOfTheDrain')]
    public function one_that_is_killed_while_it_brings_events_back_neither_loses_nor_doubles(string $point): void
    {
        $this->world->append(['before']);
        $this->flush();
        $this->redis->kill();
        $this->world->append(self::ids('down', 450));
        $this->redis->restart();
        $this->child('flush', points: [$point => Act::Kill])->awaitKilled();

        $this->flush();
        $rows = $this->world->rows();
        self::assertSame(['before', ...self::ids('down', 450)], $rows);
        self::assertSame(0, $this->world->status()->storage->onDisk);
    }

    #[Test]
    public function a_failure_after_redis_took_an_event_doubles_nothing(): void
    {
        $this->redis->ask('SET', Keys::BUCKETS, 'of another type');
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], wait: 1));
        $this->redis->ask('ACL', 'SETUSER', 'default', '-wait');
        $this->world->append(['a', 'b']);
        self::assertSame(2, $this->world->status()->storage->onDisk, 'Nobody confirmed them.');
        $this->tokensAreKnownForLong();
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port]));

        $this->flush();
        $this->assertDeliveredOnce(['a', 'b']);
    }

    #[Test]
    public function the_disk_of_a_machine_that_is_gone_is_adopted_into_redis(): void
    {
        $this->world->append(['before']);
        $this->redis->kill();
        $dead = $this->world->withRoot('dead machine');
        $dead->append(['a', 'b']);
        $this->redis->restart();
        $this->world->append(['here']);
        $adopted = $this->child('adopt', ["{$this->world->directory}/dead machine"])->result();

        self::assertSame(0, $adopted['exit'], is_string($adopted['output']) ? $adopted['output'] : '');
        $rows = $this->world->rows();
        sort($rows);
        self::assertSame(['a', 'b', 'here'], $rows, 'Redis itself had lost the first one.');
    }

    /** After an event that Redis takes, one that it is asked for while it stands still. */
    private function losesReply(string $id): void
    {
        $buffer = $this->world->withRedis(new RedisSide([$this->redis->port], timeout: 1.0))->buffer();
        $this->world->append(['earlier'], buffer: $buffer);
        $this->tokensAreKnownForLong();
        $this->redis->freeze();
        $this->world->append([$id], buffer: $buffer);
    }

    /** As after some minutes. */
    private function tokensAreKnownForLong(): void
    {
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -60_000);
    }

    #[Test]
    public function a_bucket_moves_from_disk_to_redis_with_its_pending_events(): void
    {
        $onDisk = $this->world->withoutRedis()->withBatch(2);
        $onDisk->append(['a', 'b', 'c', 'd']);
        $this->child('flush', points: ['delivery.committed' => Act::Kill], world: $onDisk)->awaitKilled();
        $onDisk->append(['e']);

        self::assertSame(3, $this->flush()->delivered);
        self::assertSame(['a', 'b', 'c', 'd', 'e'], $this->world->rows());
    }

    #[Test]
    #[TestWith(['events'])]
    #[TestWith(['lines'])]
    public function events_delivered_from_disk_between_two_times_in_redis_arrive_once(string $bucket): void
    {
        $this->divert(['first time'], $bucket);
        $this->flush($bucket);
        $onDisk = $this->world->withoutRedis();
        $onDisk->append(['a', 'b'], $bucket);
        $onDisk->replay(ReplayFrom::now(), bucket: $bucket);
        self::assertSame(2, $onDisk->flush($bucket)->delivered);
        $this->divert(['second time'], $bucket);

        self::assertSame(1, $this->flush($bucket)->delivered);
        self::assertSame(
            ['first time', 'a', 'b', 'second time'],
            $bucket === 'events' ? $this->world->rows() : $this->world->lines(),
        );
        self::assertSame(0, $this->world->status($bucket)->storage->letters);
    }

    #[Test]
    public function events_that_redis_took_from_disk_and_forgot_do_not_come_again(): void
    {
        $this->divert(['remembered']);
        $this->flush();
        $this->redis->ask('SAVE');
        $this->divert(['a', 'b']);
        $this->flush();
        $this->redis->restart();
        $this->divert(['new']);
        self::assertSame(1, $this->flush()->delivered);
        $this->assertDeliveredOnce(['remembered', 'a', 'b', 'new']);
    }

    #[Test]
    public function events_that_redis_took_from_disk_and_forgot_before_their_delivery_become_letters(): void
    {
        $this->divert(['remembered']);
        $this->flush();
        $this->redis->ask('SAVE');
        $this->divert(['a', 'b']);
        $this->world->database()->statement('alter table spool_ledger rename to away');
        self::assertNotNull($this->world->flush()->failure);
        $this->world->database()->statement('alter table away rename to spool_ledger');
        $this->redis->restart();
        $this->divert(['new']);
        self::assertSame(1, $this->flush()->delivered);
        self::assertSame(['remembered', 'new'], $this->world->rows());
        $this->firstLetter(2, 'Redis has lost its latest data');
        self::assertSame([0, 0], [$this->world->status()->events->pending, $this->world->status()->events->missing]);
    }

    #[Test]
    public function two_that_bring_the_same_disk_back_do_it_once(): void
    {
        // The first time a disk is brought back, noting that finds out as well.
        $this->divert(['before']);
        $this->flush();
        $this->redis->kill();
        $this->world->append(['a', 'b']);
        $this->redis->restart();
        $this->world->append(['mark']);
        $this->rested();
        $isFirst = true;
        $this->world->flusher(new CallingCheckpoint(function (string $point) use (&$isFirst): void {
            if ($point === 'drain.sending' && $isFirst) {
                $isFirst = false;
                // The lock file of this disk is removed, and another process takes the lock.
                unlink($this->world->layout()->flushLock);
                self::assertNull(World::fromJson($this->world->toJson())->flush()->failure);
            }
        }))->flush('events');
        $this->flush();

        self::assertFalse($isFirst);
        self::assertCount(4, $this->world->rows());
        self::assertCount(4, array_unique($this->world->rows()));
    }

    private function firstLetter(int $of, string $why): DeadLetter
    {
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        self::assertCount($of, $letters);
        self::assertInstanceOf(DeadLetter::class, $letters[0]);
        Snapshot::assertPrinted('dead letters of a disk in doubt', $why, $letters[0]->reason);

        return $letters[0];
    }

    /** @param list<string> $ids that Redis has no memory for, and takes with the next flush */
    private function divert(array $ids, string $bucket = 'events'): void
    {
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append($ids, $bucket);
        self::assertSame(count($ids), $this->world->status($bucket)->storage->onDisk);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
    }

    private function rested(): void
    {
        touch("{$this->world->directory}/buffer/redis-down", 1);
    }
}
