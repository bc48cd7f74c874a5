<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use DateTimeImmutable;
use Headroom\Core\Finding;
use Headroom\Core\Position;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Monitoring\PeekedEvent;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket in Redis, from the append to the database.
 */
final class RedisStoreTest extends RedisTestCase
{
    #[Test]
    public function appended_events_arrive_once_and_leave_the_stream(): void
    {
        $this->world->append(['a1', 'a2', 'a3']);
        $this->assertAccounts(accepted: 3, delivered: 0, pending: 3);

        self::assertSame(3, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a1', 'a2', 'a3']);
        self::assertSame(0, $this->redis->ask('XLEN', '{spool:events}:log'));
        self::assertSame(0, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a1', 'a2', 'a3']);
        self::assertDirectoryDoesNotExist("{$this->world->directory}/buffer/buckets");
    }

    #[Test]
    public function a_file_sink_gets_it_in_order_and_a_killed_flusher_repeats_its_plan(): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(['a', 'b', 'c'], 'lines');
        $this->child('flush', ['lines'], ['sink.returned' => Act::Kill])->awaitKilled();
        $this->redis->ask('DEL', (new Keys('lines'))->owner);
        $this->flush('lines');

        self::assertSame(['a', 'b', 'a', 'b', 'c'], $this->world->lines());
        self::assertSame($this->world->deliveries()[0], $this->world->deliveries()[1]);
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function frames_of_many_events_are_cut_where_a_batch_ends(): void
    {
        $this->world = $this->world->withBatch(3);
        $this->world->buffer()->bucket('events')->addMany(array_map(Event::of(...), self::ids('m', 10)));
        $this->world->append(['z']);
        self::assertSame(4, $this->world->flush(limits: new FlushOptions(events: 4))->delivered);
        $this->assertAccounts(accepted: 11, delivered: 4, pending: 7);
        $this->flush();
        self::assertSame([...self::ids('m', 10), 'z'], $this->world->rows());
        $this->assertAccounts(accepted: 11, delivered: 11, pending: 0);
    }

    #[Test]
    public function a_refused_event_becomes_a_letter_that_can_be_retried_and_forgotten(): void
    {
        $this->world->buffer()
            ->bucket('events')
            ->addMany([Event::of('a'), ['id' => 'bad'], ['id' => 'worse'], Event::of('b')]);
        self::assertSame(2, $this->flush()->dead);
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        self::assertCount(2, $letters);
        self::assertSame([4, 2, 2, 0, 0], $this->numbers());

        self::assertSame(1, $this->world->letters()->retry([$letters[0]->position]));
        self::assertSame([4, 2, 1, 1, 0], $this->numbers());
        $this->flush();
        self::assertSame([4, 2, 2, 0, 0], $this->numbers(), 'It was refused again.');
        $again = iterator_to_array($this->world->letters()->letters(), false);
        self::assertInstanceOf(DeadLetter::class, $letters[0]);
        self::assertContains(
            $letters[0]->id,
            array_map(
                static fn (DeadLetter|CorruptDeadLetter $letter): string
                    => $letter instanceof DeadLetter ? $letter->id : '',
                $again,
            ),
        );
        self::assertSame(
            2,
            $this->world->letters()->forget(array_map(
                static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position,
                $again,
            )),
        );
        self::assertSame(0, $this->world->status()->storage->letters);
        $this->flush();
        self::assertSame([4, 2, 2, 0, 0], $this->numbers());
    }

    #[Test]
    public function events_removed_from_the_stream_are_missed_exactly(): void
    {
        $this->world->append(['a', 'b', 'c', 'd']);
        $log = (new Keys('events'))->log;
        $entries = $this->redis->ask('XRANGE', $log, '-', '+');
        $ids = array_values(array_filter(array_column(is_array($entries) ? $entries : [], 0), is_string(...)));
        $this->redis->ask('XDEL', $log, $ids[1], $ids[3]);
        $report = $this->flush();

        self::assertSame(2, $report->delivered);
        self::assertCount(2, $report->losses);
        Sentence::assertIn(
            MissingRange::vanished(Position::start(), 1)->message,
            implode(' ', array_map(static fn (MissingRange $loss): string => $loss->message, $report->losses)),
        );
        self::assertSame(2, $this->world->status()->events->missing);
        $this->world->append(['e']);
        $report = $this->flush();
        self::assertSame([], $report->losses, 'It is told once.');
        self::assertSame(2, $this->world->status()->events->missing);
        $problems = [];
        $runtime = $this->world->runtime();
        $result = $runtime->bucketTools('events')->verifier()->verify(
            'events',
            $runtime->bucketTools('events')->ledger(),
            new Findings(static function (Finding $problem) use (&$problems): void {
                $problems[] = "{$problem->subject} {$problem->message}";
            }, static function (): void {}),
        );
        self::assertSame(2, $result->missing);
        self::assertMatchesRegularExpression('/events: accounts .*\b2\b/', implode(' ', $problems));
    }

    #[Test]
    public function a_stream_that_was_emptied_is_told_of_loudly(): void
    {
        $this->world->append(['a', 'b']);
        $this->world->flush(limits: new FlushOptions(events: 1));
        $this->redis->ask('FLUSHALL');
        $report = $this->flush();

        self::assertCount(1, $report->losses);
        Sentence::assertIn(
            MissingRange::streamGone(Sentence::ANY, Sentence::ANY, 1, Sentence::ANY)->message,
            array_values($report->losses)[0]->message,
        );
        $this->world->append(['c']);
        self::assertSame([], $this->flush()->losses);
        self::assertSame(['a', 'c'], $this->world->rows());
    }

    #[Test, Group('day-2')]
    public function frames_of_many_mebibytes_are_read_a_few_at_a_time(): void
    {
        $body = str_repeat('x', 1_000_000);
        $events = static fn (int $frame): array
            => array_map(static fn (int $n): array => ['id' => "f{$frame}.{$n}", 'body' => $body], range(1, 7));

        for ($frame = 1; $frame <= 8; $frame++) {
            $this->world->buffer()->bucket('lines')->addMany($events($frame));
        }

        memory_reset_peak_usage();
        $before = memory_get_usage();
        self::assertSame(56, $this->flush('lines')->delivered);
        // Four frames of 7 MB are asked for at once, and a batch of 4 MiB is made of them.
        self::assertLessThan(120 << 20, memory_get_peak_usage() - $before);
        $this->assertAccounts(accepted: 56, delivered: 56, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function a_pause_holds_on_every_machine(): void
    {
        $this->world->append(['a']);
        $elsewhere = $this->world->withRoot('another machine');
        self::assertTrue($this->world->runtime()->stores()->pauses('events')->pause('events', new DateTimeImmutable));
        self::assertTrue($elsewhere->flush()->paused);
        self::assertNotNull($elsewhere->status()->paused);
        self::assertTrue($elsewhere->runtime()->stores()->pauses('events')->resume('events'));
        self::assertSame(1, $this->flush()->delivered);
    }

    #[Test]
    public function peek_shows_pending_events_and_changes_nothing(): void
    {
        $this->world->buffer()->bucket('events')->addMany(array_map(Event::of(...), ['a', 'b', 'c']));
        $this->world->flush(limits: new FlushOptions(events: 1));
        $runtime = $this->world->runtime();
        $shown = array_map(
            static fn (PeekedEvent $event): mixed => $event->values['id'] ?? $event->error,
            iterator_to_array(
                $runtime->bucketTools('events')
                    ->peek()
                    ->events($runtime->bucketTools('events')->ledger()->progress(...)),
                false,
            ),
        );

        self::assertSame(['b', 'c'], $shown);
        self::assertSame(2, $this->flush()->delivered);
    }

    #[Test]
    public function a_replay_sets_the_cursor_to_what_is_still_there(): void
    {
        $this->world->buffer()->bucket('events')->addMany(array_map(Event::of(...), ['a', 'b', 'c']));
        $this->world->flush(limits: new FlushOptions(events: 1));
        self::assertSame(1, $this->world->replay(ReplayFrom::start(), true)->redelivered);
        $this->flush();
        self::assertSame(['a', 'a', 'b', 'c'], $this->world->rows());
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0);
    }

    #[Test]
    public function a_replay_counts_no_dead_letter_as_an_arrival(): void
    {
        $this->world->buffer()->bucket('events')->addMany([Event::of('a'), ['id' => 'no body'], Event::of('c')]);
        $this->world->flush(limits: new FlushOptions(events: 2));
        $report = $this->world->replay(ReplayFrom::start(), true);
        self::assertSame([1, 3], [$report->redelivered, $report->waiting]);
        $this->flush();
        self::assertSame(['a', 'a', 'c'], $this->world->rows());
    }

    #[Test]
    public function another_machine_flushes_the_events_of_this_one(): void
    {
        $this->world->append(['a']);
        $elsewhere = $this->world->withRoot('another machine');
        self::assertSame(1, $elsewhere->flush()->delivered);
        $this->world->append(['b']);
        self::assertSame(1, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a', 'b']);
    }

    #[Test]
    public function a_restored_database_gets_the_events_that_are_there_and_losses_are_told(): void
    {
        $this->world->append(['a', 'b', 'c']);
        $this->world->flush(limits: new FlushOptions(events: 1));
        $before = (array) $this->world->database()->table('spool_ledger')->first();
        $this->flush();
        $this->world->database()->table('spool_ledger')->update($before);
        $this->world->database()->table('events')->where('id', '<>', 'a')->delete();
        $report = $this->flush();

        self::assertSame(
            MissingRange::deliveredBefore(Position::start(), 2)->message,
            array_values($report->losses)[0]->message ?? '',
        );
        self::assertSame(2, $this->world->status()->events->missing);
    }

    /** @return list<int> */
    private function numbers(): array
    {
        $status = $this->world->status();

        return [
            $status->events->accepted,
            $status->events->delivered,
            $status->events->dead,
            $status->events->pending,
            $status->events->missing,
        ];
    }

    #[Test]
    public function a_bucket_of_which_nothing_went_to_disk_is_drained_once_it_is_delivered(): void
    {
        $this->world->append(['a']);
        self::assertFalse($this->world->runtime()->stores()->isDrained('events'));
        $this->flush();

        self::assertTrue($this->world->runtime()->stores()->isDrained('events'));
    }

    #[Test]
    public function an_unreadable_record_fails_each_flush_and_leaves_no_owner(): void
    {
        $keys = new Keys('events');
        $this->world->append(['a']);
        $this->redis->ask('HSET', $keys->state, 'record', 'of a newer version');
        self::assertStringContainsString($keys->state, (string) $this->world->flush()->failure?->getMessage());

        self::assertStringContainsString($keys->state, (string) $this->world->flush()->failure?->getMessage());
        self::assertNull($this->redis->ask('GET', $keys->owner));
    }

    #[Test]
    public function large_entries_are_counted_a_few_at_a_time(): void
    {
        $keys = new Keys('events');
        $bucket = $this->world->buffer()->bucket('events');

        foreach (range(1, 12) as $number) {
            $bucket->add(['id' => "{$number}", 'body' => str_repeat('x', 1_000_000)]);
        }

        $counted = (new RedisSide([$this->redis->port]))->client()
            ->script(Scripts::COUNT, $keys->all(), ['0-0', '+', 2000, 4_194_304]);
        self::assertIsArray($counted);
        self::assertSame(8, $counted[0], 'All others wait while it counts.');
        self::assertIsString($counted[2]);
        self::assertStringStartsWith('(', $counted[2]);
        self::assertSame(
            [12, 0, null],
            [
                $this->world->status()->events->pending,
                $this->world->status()->events->missing,
                $this->world->status()->error,
            ],
        );
    }

    #[Test]
    public function a_key_of_another_type_sends_events_to_disk_and_spoils_no_count(): void
    {
        $keys = new Keys('events');
        $this->world->append(['a']);
        $this->flush();
        $this->redis->ask('DEL', $keys->log);
        $this->redis->ask('SET', $keys->log, 'of another program');
        $this->world->append(['b', 'c']);
        self::assertStringContainsString('WRONGTYPE', (string) $this->world->flush()->failure?->getMessage());
        $this->redis->ask('DEL', $keys->log);

        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    #[Test]
    public function a_lost_stream_is_told_once_after_a_failed_flush(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $this->world->append(['b']);
        $this->redis->ask('FLUSHALL');
        $this->world->append(['c']);
        $this->world->letters()->retry([new Position(1_800_000_000_000, 0, 0)]);
        $this->world->database()->statement('alter table spool_ledger rename to away');
        self::assertNotNull($this->world->flush()->failure);
        $this->world->database()->statement('alter table away rename to spool_ledger');

        Sentence::assertIn(
            MissingRange::streamGone(Sentence::ANY, Sentence::ANY, 1, Sentence::ANY)->message,
            array_values($this->flush()->losses)[0]->message ?? '',
        );
        self::assertSame([], $this->flush()->losses);
    }
}
