<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Exceptions\UndeliveredEvents;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * The cursor in the hands of an operator.
 */
final class ReplayTest extends FaultTestCase
{
    #[Test]
    #[TestDox('database replaced by another one')]
    public function another_database_asks_and_gets_only_new_events(): void
    {
        $this->deliver(['first', 'second']);
        $this->exchangeDatabase();
        $this->world->append(['third']);
        $failure = $this->world->flush()->failure;

        self::assertInstanceOf(LedgerMismatch::class, $failure);
        self::assertStringContainsString('spool:replay events --from-now', $failure->getMessage());
        self::assertNull($failure->ledger);
        self::assertSame([], $this->world->rows());
        self::assertSame(0, $this->world->database()->table('spool_ledger')->count());

        $report = $this->world->replay(ReplayFrom::now());
        self::assertSame([true, 0, 1], [$report->isDone, $report->redelivered, $report->waiting]);
        $this->flush();
        self::assertSame(['third'], $this->world->rows());
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0);
    }

    #[Test]
    #[TestDox('database replaced by another one')]
    public function another_database_asks_and_gets_everything(): void
    {
        $this->deliver(['first', 'second']);
        $this->exchangeDatabase();
        $this->world->append(['third']);
        $report = $this->world->replay(ReplayFrom::start());

        self::assertSame([true, 0, 3], [$report->isDone, $report->redelivered, $report->waiting]);
        $this->assertAccounts(accepted: 3, delivered: 0, pending: 3);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_second_arrival_has_to_be_asked_for_and_is_counted_apart(): void
    {
        $this->deliver(['first', 'second']);
        $report = $this->world->replay(ReplayFrom::start());
        self::assertSame([false, 2], [$report->isDone, $report->redelivered]);
        $this->flush();
        self::assertSame(['first', 'second'], $this->world->rows(), 'Nothing was changed.');

        self::assertTrue($this->world->replay(ReplayFrom::start(), again: true)->isDone);
        $this->assertAccounts(accepted: 2, delivered: 0, pending: 2);
        $this->flush();
        self::assertSame(['first', 'second', 'first', 'second'], $this->world->rows());
        $this->assertAccounts(accepted: 2, delivered: 2, pending: 0);
        self::assertSame(2, $this->world->status()->events->replayed);
    }

    #[Test]
    public function a_ledger_that_is_at_the_target_is_not_written(): void
    {
        $this->deliver(['first']);
        // Within the second of the delivery, MySQL would report that the update changed no row.
        $this->world->database()->table('spool_ledger')->update(['updated_at' => '2000-01-01 00:00:00']);

        self::assertTrue($this->world->replay(ReplayFrom::now())->isDone);
        self::assertSame(
            ['2000-01-01 00:00:00'],
            $this->world->database()->table('spool_ledger')->pluck('updated_at')->all(),
        );
    }

    #[Test]
    public function a_begun_range_has_to_be_asked_for_as_well(): void
    {
        $this->world->append(self::ids('event ', 5), 'lines');
        $world = $this->world->withBatch(3);
        $this->child('flush', ['lines'], ['sink.returned#1' => Act::Kill], $world)->awaitKilled();
        $report = $this->world->replay(ReplayFrom::now(), bucket: 'lines');
        self::assertSame([false, 0, 3, 5], [$report->isDone, $report->redelivered, $report->unknown, $report->waiting]);

        self::assertTrue($this->world->replay(ReplayFrom::now(), again: true, bucket: 'lines')->isDone);
        self::assertSame(
            [true, 0],
            [
                $this->world->replay(ReplayFrom::now(), bucket: 'lines')->isDone,
                $this->world->status('lines')->events->replayed,
            ],
        );
        $this->flush('lines');
        self::assertCount(8, $this->world->lines());
        $this->assertAccounts(accepted: 5, delivered: 5, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function a_plain_sink_is_replayed_from_a_time_on_under_the_same_ids(): void
    {
        foreach ([100, 200, 300] as $second) {
            $this->world->buffer(clock: new SetClock($second * 1_000_000))
                ->bucket('lines')
                ->add(Event::of("at {$second}"));
            $this->flush('lines');
        }

        $report = $this->world->replay(ReplayFrom::since(200_000_000), again: true, bucket: 'lines');
        self::assertSame([true, 2], [$report->isDone, $report->redelivered]);
        $this->flush('lines');
        self::assertSame(['at 100', 'at 200', 'at 300', 'at 200', 'at 300'], $this->world->lines());
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function a_replay_within_a_frame_is_exact(): void
    {
        $this->world->buffer()->bucket('events')->addMany(array_map(Event::of(...), self::ids('event ', 5)));
        $this->world->withBatch(2)->flush(limits: new FlushOptions(events: 2));
        self::assertCount(2, $this->world->rows());
        $report = $this->world->replay(ReplayFrom::start(), again: true);
        self::assertSame([2, 5], [$report->redelivered, $report->waiting]);
        $this->flush();
        self::assertCount(7, $this->world->rows());
        $this->assertAccounts(accepted: 5, delivered: 5, pending: 0);
    }

    #[Test]
    public function undelivered_events_are_never_passed_over(): void
    {
        $this->deliver(['first']);
        $ledger = (array) $this->world->database()->table('spool_ledger')->first();
        $this->deliver(['second']);
        $this->world->database()->table('events')->where('id', 'second')->delete();
        $this->world->database()->table('spool_ledger')->update($ledger);

        try {
            $this->world->replay(ReplayFrom::now());
            self::fail('The event that the database lost would never have been delivered.');
        } catch (UnableToFlush $e) {
            Sentence::assertIn(
                UndeliveredEvents::skippedByReplay('events', Sentence::ANY, Sentence::ANY),
                $e->getMessage(),
            );
        }

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    #[TestDox('database restored from a backup')]
    public function a_restored_database_is_told_how_many_events_are_gone(): void
    {
        $this->deliver(['first']);
        $ledger = (array) $this->world->database()->table('spool_ledger')->first();
        $this->deliver(['second', 'third', 'fourth']);
        $this->world->cleaner(new SetClock((int) (microtime(true) * 1e6) + 3_600_000_000))->clean(60);
        $this->world->database()->table('events')->where('id', '<>', 'first')->delete();
        $this->world->database()->table('spool_ledger')->update($ledger);
        $report = $this->flush();

        self::assertSame(['first', 'fourth'], $this->world->rows(), 'The newest segment always stays.');
        self::assertCount(1, $report->losses);
        self::assertSame(
            MissingRange::missing(Position::start(), Layout::segmentName(1), Layout::segmentName(3))->message,
            array_values($report->losses)[0]->message,
        );
        $this->assertAccounts(accepted: 4, delivered: 2, pending: 0, missing: 2);
    }

    /** @param list<string> $ids each in a segment of its own */
    private function deliver(array $ids): void
    {
        foreach ($ids as $id) {
            $this->world->append([$id]);
            $this->flush();
        }
    }

    private function exchangeDatabase(): void
    {
        $this->world->database()->table('spool_ledger')->delete();
        $this->world->database()->table('events')->delete();
    }
}
