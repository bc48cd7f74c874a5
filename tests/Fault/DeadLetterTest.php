<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\File\Frame;
use Headroom\Spool\Flush\Limits;
use Headroom\Spool\Letter;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * Events that a sink refuses. In the bucket "events" one without a body is: the column may not be null.
 */
final class DeadLetterTest extends FaultTestCase
{
    #[Test]
    #[TestDox('bad row among good ones')]
    #[TestWith([1])]
    #[TestWith([3])]
    #[TestWith([1000])]
    public function a_bad_row_among_good_ones_dies_alone(int $batch): void
    {
        $this->world = $this->world->withBatch($batch);
        $this->append(['a', 'b', 'bad 1', 'c', 'bad 2', 'bad 3', 'd', 'e', 'bad 4']);
        $report = $this->flush();

        self::assertSame([5, 4], [$report->delivered, $report->dead]);
        self::assertSame(['a', 'b', 'c', 'd', 'e'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3', 'bad 4']);
        self::assertStringContainsString('NOT NULL constraint failed: events.body', $this->letters()[0]->reason);
        $this->assertCounts(accepted: 9, delivered: 5, dead: 4);
    }

    #[Test]
    public function a_bad_row_inside_a_frame_of_many_dies_alone(): void
    {
        $this->world->buffer()->bucket('events')->addMany([Event::of('a'), ['id' => 'bad 1'], Event::of('b'), Event::of('c'), ['id' => 'bad 2']]);
        $this->flush();

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2']);
        $this->assertCounts(accepted: 5, delivered: 3, dead: 2);
    }

    #[Test]
    public function a_plain_sink_gets_each_good_event_and_never_a_bad_one_with_it(): void
    {
        $this->append(['a', 'bad 1', 'b', 'c', 'bad 2', 'd', 'bad 3'], 'picky');
        $this->flush('picky');

        self::assertSame(['a', 'b', 'c', 'd'], $this->world->lines());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3'], 'picky');
        $this->assertCounts(accepted: 7, delivered: 4, dead: 3, bucket: 'picky');
    }

    #[Test]
    public function a_sink_that_refuses_everything_stops_its_bucket_and_no_event_dies_of_it(): void
    {
        $this->append(self::ids('bad ', 60));
        $this->append(['good']);
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertStringContainsString("The sink of bucket 'events' has refused 50 events in a row", $report->failure->getMessage());
        self::assertSame([0, 0, []], [$report->delivered, $report->dead, $this->world->rows()]);
        $this->assertDead([]);
        $this->assertCounts(accepted: 61, delivered: 0, dead: 0, pending: 61);

        $report = $this->world->flush(limits: new Limits(now: true, buryAll: true));
        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(['good'], $this->world->rows());
        $this->assertCounts(accepted: 61, delivered: 1, dead: 60);
    }

    #[Test]
    public function a_sink_that_refuses_everything_is_noticed_over_many_small_flushes(): void
    {
        foreach (self::ids('bad ', 49) as $id) {
            $this->append([$id]);
            self::assertNull($this->world->flush()->failure);
        }

        $this->append(['bad 50']);
        self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
        $this->assertCounts(accepted: 50, delivered: 0, dead: 49, pending: 1);
    }

    #[Test]
    public function what_was_taken_in_between_begins_the_count_anew(): void
    {
        $this->append([...self::ids('bad ', 49), 'good', ...self::ids('bad again ', 49)]);
        $this->flush();
        $this->assertCounts(accepted: 99, delivered: 1, dead: 98);
    }

    #[Test]
    public function a_missing_table_is_no_fault_of_any_event(): void
    {
        $this->append(['a']);
        $this->world->database()->statement('alter table events rename to elsewhere');
        self::assertNotNull($this->world->flush()->failure);
        $this->assertDead([]);

        $this->world->database()->statement('alter table elsewhere rename to events');
        $this->flush();
        self::assertSame(['a'], $this->world->rows());
    }

    #[Test]
    #[TestDox('schema changed under pending events')]
    public function schema_changed_under_pending_events(): void
    {
        $this->append(self::ids('event ', 100));
        $this->world->database()->statement('alter table events rename column body to text');
        $report = $this->world->flush();

        self::assertStringContainsString('has refused 50 events in a row', $report->failure?->getMessage() ?? '');
        $this->assertDead([]);
        $this->world->database()->statement('alter table events rename column text to body');
        $this->flush();
        $this->assertDeliveredOnce(self::ids('event ', 100));
    }

    #[Test]
    public function a_line_that_is_no_event_dies_and_holds_nobody_up(): void
    {
        $this->append(['a']);
        $slot = "{$this->world->layout()->active}/u".posix_geteuid().'-0000.log';
        file_put_contents($slot, Frame::events('"no row"  ', 1, (int) filesize($slot), 1), FILE_APPEND);
        $this->append(['b']);
        $this->flush();

        self::assertSame(['a', 'b'], $this->world->rows());
        $letters = $this->letters();
        self::assertCount(1, $letters);
        self::assertSame('"no row"  ', $letters[0]->line);
        self::assertStringContainsString('is not an event', $letters[0]->reason);
    }

    /** @return iterable<string, array{string}> */
    public static function pointsOfAHunt(): iterable
    {
        foreach (['delivery.begun', 'ledger.advanced', 'rows.inserted', 'delivery.committed'] as $point) {
            foreach (range(1, 7) as $time) {
                yield "{$point}#{$time}" => ["{$point}#{$time}"];
            }
        }
    }

    #[Test]
    #[DataProvider('pointsOfAHunt')]
    public function a_hunt_that_is_killed_anywhere_goes_on(string $point): void
    {
        $this->append(['a', 'bad 1', 'bad 2', 'b', 'bad 3']);
        $child = $this->child('flush', [], [$point => Act::Kill]);

        try {
            $child->awaitKilled();
        } catch (RuntimeException) {
            // Some points are passed less often.
            self::assertSame(2, $child->result()['delivered'] ?? null);
        }

        $this->flush();
        self::assertSame(['a', 'b'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3']);
        $this->assertCounts(accepted: 5, delivered: 2, dead: 3);
    }

    #[Test]
    public function a_letter_whose_event_was_not_passed_is_void_when_the_sink_takes_it_after_all(): void
    {
        $this->append(['bad 1', 'b']);
        $this->child('flush', [], ['ledger.advanced#3' => Act::Kill])->awaitKilled();
        self::assertNotSame([], $this->names($this->world->layout()->dead), 'The letter is written before the step.');
        $this->assertDead([]);
        $this->mendTable();
        $this->flush();

        self::assertSame(2, $this->world->database()->table('events')->count());
        $this->assertDead([]);
        self::assertSame([], $this->names($this->world->layout()->dead));
        $this->assertCounts(accepted: 2, delivered: 2, dead: 0);
    }

    #[Test]
    public function a_plan_with_dead_letters_is_sent_again_without_them(): void
    {
        $this->append(['bad 1', 'bad 2', 'a', 'b'], 'picky');
        // The attempts: all four, the first two, each of them, the other two.
        $this->child('flush', ['picky'], ['sink.returned' => Act::Kill])->awaitKilled();
        self::assertSame(['a', 'b'], $this->world->lines());
        $this->flush('picky');

        $deliveries = $this->world->deliveries();
        self::assertSame($deliveries[count($deliveries) - 2], $deliveries[count($deliveries) - 1], 'The same range under the same id.');
        self::assertSame(['a', 'b', 'a', 'b'], $this->world->lines());
        $this->assertDead(['bad 1', 'bad 2'], 'picky');
        $this->assertCounts(accepted: 4, delivered: 2, dead: 2, bucket: 'picky');
    }

    #[Test]
    public function a_letter_that_is_retried_arrives_once_and_keeps_its_id(): void
    {
        $this->append(['a', 'bad 1', 'b'], 'picky');
        $this->flush('picky');
        $id = $this->letters('picky')[0]->id;
        self::assertSame(1, $this->world->letters('picky')->retry($this->positions('picky')));
        $this->assertDead([], 'picky');
        $this->assertCounts(accepted: 3, delivered: 2, dead: 0, pending: 1, bucket: 'picky');

        self::assertNull($this->world->flush('picky')->failure);
        self::assertSame($id, $this->letters('picky')[0]->id, 'It died again, under the same id.');
        $this->assertCounts(accepted: 3, delivered: 2, dead: 1, bucket: 'picky');
        self::assertSame(0, $this->world->letters('picky')->retry([new Position(1, 0, 0)]));
    }

    #[Test]
    #[TestDox('dead letter retried')]
    public function letters_that_are_retried_after_the_table_was_mended_arrive_once(): void
    {
        $ids = [...self::ids('bad ', 12), 'good'];
        $this->append($ids);
        $this->flush();
        $this->mendTable();
        self::assertSame(12, $this->world->letters()->retry($this->positions()));
        self::assertSame(0, $this->world->letters()->retry($this->positions()), 'Nothing is left to be retried.');
        $this->flush();

        self::assertSame(13, $this->world->database()->table('events')->count());
        self::assertSame(13, $this->world->database()->table('events')->distinct()->count('id'));
        $this->assertCounts(accepted: 13, delivered: 13, dead: 0);
    }

    /** @return iterable<string, array{string}> */
    public static function pointsOfARetry(): iterable
    {
        foreach (['seal.counted', 'seal.noted', 'seal.put', 'seal.renamed', 'letter.removed', 'letter.removed#2', 'letter.removed#3'] as $point) {
            yield $point => [$point];
        }
    }

    #[Test]
    #[TestDox('dead letter retried')]
    #[DataProvider('pointsOfARetry')]
    public function a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once(string $point): void
    {
        $this->append(['bad 1', 'a', 'bad 2', 'bad 3']);
        $this->flush();
        $this->mendTable();
        $this->child('retry', [], [$point => Act::Kill])->awaitKilled();
        $this->assertCounts(accepted: 4, delivered: 1, pending: null);

        // Whoever comes next: the same retry again, or a flush.
        $this->world->letters()->retry($this->positions());
        $this->flush();
        self::assertSame(4, $this->world->database()->table('events')->count());
        self::assertSame(4, $this->world->database()->table('events')->distinct()->count('id'));
        $this->assertDead([]);
        $this->assertCounts(accepted: 4, delivered: 4, dead: 0);
    }

    #[Test]
    public function a_letter_that_is_forgotten_stays_counted_as_dead(): void
    {
        $this->append(['a', 'bad 1', 'bad 2']);
        $this->flush();
        self::assertSame(1, $this->world->letters()->forget([$this->positions()[0]]));
        $this->assertDead(['bad 2']);
        $this->assertCounts(accepted: 3, delivered: 1, dead: 2);
    }

    #[Test]
    public function a_restored_database_gets_back_what_it_lost_and_no_letter_twice(): void
    {
        $this->append(['a']);
        $this->flush();
        $ledger = (array) $this->world->database()->table('spool_ledger')->first();
        $this->append(['bad 1', 'b', 'bad 2']);
        $this->flush();
        $this->mendTable();
        $this->world->letters()->retry([$this->positions()[0]]);
        $this->flush();
        $this->world->letters()->forget($this->positions());
        self::assertSame(3, $this->world->database()->table('events')->count());

        $this->world->database()->table('events')->where('arrival', '>', 1)->delete();
        $this->world->database()->table('spool_ledger')->update($ledger);
        $this->assertCounts(accepted: 4, delivered: 1, dead: 1, pending: 2);
        $this->flush();
        self::assertSame(['a', 'b', 'bad 1'], $this->world->database()->table('events')->orderBy('arrival')->pluck('id')->all());
        $this->assertCounts(accepted: 4, delivered: 3, dead: 1);
    }

    #[Test]
    public function stones_go_with_their_segments(): void
    {
        $this->append(['bad 1']);
        $this->flush();
        $this->world->letters()->forget($this->positions());
        $this->append(['a']);
        $this->flush();
        self::assertCount(1, $this->names($this->world->layout()->dead));
        $this->world->cleaner(new \Headroom\Tests\Fault\Support\SetClock((int) (microtime(true) * 1e6) + 3_600_000_000))->clean(60);
        self::assertSame([], $this->names($this->world->layout()->dead));
        $this->assertCounts(accepted: 2, delivered: 1, dead: 1);
    }

    private function mendTable(): void
    {
        $database = $this->world->database();
        $database->statement('create table mended (arrival integer primary key autoincrement, id varchar, body text)');
        $database->statement('insert into mended select arrival, id, body from events');
        $database->statement('drop table events');
        $database->statement('alter table mended rename to events');
    }

    /** @param list<string> $ids those that begin with "bad" are refused */
    private function append(array $ids, string $bucket = 'events'): void
    {
        foreach ($ids as $id) {
            $this->world->buffer()->bucket($bucket)->add(str_starts_with($id, 'bad') ? ['id' => $id] : Event::of($id));
        }
    }

    /** @return list<Letter> */
    private function letters(string $bucket = 'events'): array
    {
        return iterator_to_array($this->world->letters($bucket)->letters(), false);
    }

    /** @return list<Position> */
    private function positions(string $bucket = 'events'): array
    {
        return array_map(static fn (Letter $letter): Position => $letter->position, $this->letters($bucket));
    }

    /** @param list<string> $ids */
    private function assertDead(array $ids, string $bucket = 'events'): void
    {
        $dead = array_map(static fn (Letter $letter): mixed => ((array) json_decode($letter->line, true))['id'] ?? null, $this->letters($bucket));

        self::assertSame($ids, $dead);
    }

    private function assertCounts(int $accepted, int $delivered, ?int $dead = null, ?int $pending = 0, string $bucket = 'events'): void
    {
        $status = $this->world->status($bucket);

        self::assertNull($status->error, $status->error ?? '');
        self::assertSame(0, $status->missing, "accepted {$status->accepted}, delivered {$status->delivered}, dead {$status->dead}, pending {$status->pending}");
        self::assertSame([$accepted, $delivered, $dead ?? $status->dead, $pending ?? $status->pending], [$status->accepted, $status->delivered, $status->dead, $status->pending]);
    }
}
