<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\FileClock;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * One process flushes a bucket, on whichever machine; what becomes of it when it dies or stands still.
 */
final class RedisOwnerTest extends RedisTestCase
{
    #[Test]
    public function a_second_flusher_finds_the_bucket_busy(): void
    {
        $this->world->append(['a']);
        $owner = $this->child('flush', points: ['redis.claimed' => Act::Wait]);
        $owner->awaitPoint('redis.claimed');

        self::assertTrue($this->world->flush()->busy);
        self::assertStringContainsString((string) $owner->pid(), $this->world->status()->flush->owner);
        $owner->goOn();
        self::assertSame(1, $owner->result()['delivered']);
        self::assertSame('', $this->world->status()->flush->owner);
        $this->assertDeliveredOnce(['a']);
    }

    #[Test]
    public function one_that_died_here_is_taken_over_from_at_once(): void
    {
        $this->world->append(['a', 'b']);
        $this->child('flush', points: ['delivery.committed' => Act::Kill])->awaitKilled();

        self::assertSame(0, $this->flush()->delivered, 'It had committed, and the ledger knows.');
        $this->assertDeliveredOnce(['a', 'b']);
    }

    #[Test]
    public function one_that_lost_redis_does_not_keep_the_bucket_from_itself(): void
    {
        $this->redis->restart(['appendonly' => 'yes', 'appendfsync' => 'always']);
        $this->world->append(['a']);
        self::assertNotNull($this->world->flusher(new CallingCheckpoint(function (string $point): void {
            $point === 'delivery.committed' ? $this->redis->kill() : null;
        }))->flush('events', new FlushOptions(now: true))->failure);
        $this->redis->restart();

        $report = $this->world->flush();
        self::assertSame([false, null], [$report->busy, $report->failure]);
        $this->assertDeliveredOnce(['a']);
    }

    #[Test]
    public function one_that_died_elsewhere_is_taken_over_from_after_its_time(): void
    {
        $this->world->append(['a', 'b']);
        $this->child('flush', points: ['delivery.committed' => Act::Kill])->awaitKilled();
        $owner = $this->redis->ask('GET', (new Keys('events'))->owner);
        self::assertIsString($owner);
        $this->redis->ask('SET', (new Keys('events'))->owner, substr($owner, 0, -8).'deadbeef');
        self::assertTrue($this->world->flush()->busy);
        $this->theOwnersTimeIsOver();

        self::assertSame(0, $this->flush()->delivered, 'It had committed, and the ledger knows.');
        $this->assertDeliveredOnce(['a', 'b']);
        self::assertSame(0, $this->redis->ask('XLEN', (new Keys('events'))->log));
    }

    /** @return array<string, array{string, int}> */
    public static function stepsOfTheFlush(): array
    {
        return [
            'owns the bucket' => ['redis.claimed', 3],
            'has secured the range' => ['redis.securing', 3],
            'has begun the transaction' => ['delivery.begun', 3],
            'has moved the ledger' => ['ledger.advanced', 3],
            'has committed' => ['delivery.committed', 1],
            'saves' => ['redis.saving', 1],
            'has saved' => ['redis.saved', 1],
            'has saved the second batch' => ['redis.saved#2', 0],
        ];
    }

    #[Test, Group('day-2')]
    #[DataProvider('stepsOfTheFlush')]
    public function one_that_is_killed_at_any_step_neither_loses_nor_doubles(string $point, int $left): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(['a', 'b', 'c']);
        $this->child('flush', points: [$point => Act::Kill])->awaitKilled();
        $this->theOwnersTimeIsOver();

        self::assertSame($left, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    #[Test]
    #[TestDox('flusher of a Redis bucket stopped (SIGSTOP), replaced and resumed')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_that_stood_still_delivers_nothing_twice_and_saves_nothing(Database $database): void
    {
        $this->useDatabase($database);
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port]));
        $this->world->append(['first']);
        $zombie = $this->child('flush', points: ['delivery.begun' => Act::Stop]);
        $zombie->awaitStopped('delivery.begun');
        $this->theOwnersTimeIsOver();
        $this->world->append(['second']);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
        $record = $this->redis->ask('HGET', (new Keys('events'))->state, 'record');
        $zombie->resume();
        $result = $zombie->result();

        self::assertSame(0, $result['delivered']);
        Sentence::assertIn(
            BucketBusy::leaseLost('events', Sentence::NUMBER),
            is_string($result['failure']) ? $result['failure'] : '',
        );
        self::assertSame($record, $this->redis->ask('HGET', (new Keys('events'))->state, 'record'));
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function one_that_stood_still_before_its_save_trims_nothing_that_it_does_not_own(): void
    {
        $this->world->append(['first']);
        $report = $this->world->flusher(new CallingCheckpoint(function (string $point): void {
            if ($point === 'redis.saving') {
                $this->theOwnersTimeIsOver();
                $this->redis->ask('SET', (new Keys('events'))->owner, 'another one');
            }
        }))->flush('events');

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertSame(1, $this->redis->ask('XLEN', (new Keys('events'))->log));
        self::assertSame(
            'another one',
            $this->redis->ask('GET', (new Keys('events'))->owner),
            'What it releases is its own.',
        );
        $this->theOwnersTimeIsOver();
        $this->flush();
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function undelivered_entries_are_never_trimmed(): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(['a', 'b', 'c', 'd', 'e']);
        $lengths = [];
        $this->world->flusher(new CallingCheckpoint(function (string $point) use (&$lengths): void {
            if (in_array($point, ['delivery.begun', 'delivery.committed', 'redis.saved'], true)) {
                $lengths[] = [
                    $point, $this->redis->ask('XLEN', (new Keys('events'))->log), count($this->world->rows()),
                ];
            }
        }))->flush('events');

        foreach ($lengths as [$point, $length, $delivered]) {
            self::assertGreaterThanOrEqual(5 - $delivered, $length, $point);
        }

        self::assertSame(0, $this->redis->ask('XLEN', (new Keys('events'))->log));
    }

    #[Test]
    public function a_new_event_never_gets_a_place_that_counts_as_delivered(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $keys = new Keys('events');
        // A server that took over, whose clock is behind and which lacks the newest entries.
        $this->redis->ask('DEL', $keys->log);
        $this->redis->ask('HSET', $keys->meta, 'floor_ms', '99999999999999', 'floor_seq', '7');
        $this->world->append(['b', 'c']);
        $ids = $this->redis->ask('XRANGE', $keys->log, '-', '+');

        self::assertSame(['99999999999999-7', '99999999999999-8'], array_column(is_array($ids) ? $ids : [], 0));
        $this->flush();
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    private function theOwnersTimeIsOver(): void
    {
        $this->redis->ask('DEL', (new Keys('events'))->owner);
    }

    #[Test]
    #[TestWith(['events'])]
    #[TestWith(['each'])]
    public function a_rate_holds_for_machines_whose_boots_and_clocks_differ(string $bucket): void
    {
        $this->world = $this->world->withOptions(['rate_limit' => ['max' => 10, 'every' => 60]]);
        $this->world->append(self::ids('event ', 40), $bucket);
        $clock = new FileClock($this->world->directory);
        $sent = [];

        // Two that flush in turns, the second one's clock a second behind.
        foreach ([[1, 500_001], [0, 1_000], [3, 500_003], [2, 1_002], [61, 500_061], [60, 1_060]] as [$wall, $boot]) {
            FileClock::set($this->world->directory, 1_800_000_000 + $wall, $boot);
            $sent[] = $this->world->runtime($clock)->flusher()->flush($bucket, new FlushOptions(now: true))->delivered;
        }

        self::assertSame([10, 0, 0, 0, 10, 0], $sent);
        $status = array_column($this->world->runtime($clock)->status()->buckets, 'flush', 'bucket');
        self::assertSame(60.0, $status[$bucket]->goesOnSeconds, 'By the clock that is behind, it was just now.');
    }
}
