<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\Exceptions\CorruptSegment;
use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use Throwable;

/**
 * Segments and databases that are changed without the flusher's knowledge.
 */
final class SegmentsTest extends FaultTestCase
{
    #[Test]
    public function completed_segments_are_cleaned_in_order_and_never_the_newest(): void
    {
        $this->complete(['first', 'second', 'third']);
        $paths = array_map($this->world->layout()->completedSegment(...), [1, 2, 3]);
        $since = filectime($paths[1]);
        self::assertIsInt($since);

        // The first one changes last, so the second must wait for it.
        do {
            usleep(20_000);
            chmod($paths[0], 0600);
            clearstatcache();
            $first = filectime($paths[0]);
        } while ($first <= $since);

        self::assertSame(0, $this->world->cleaner($this->at($first + 9))->clean(10));
        self::assertSame(2, $this->world->cleaner($this->at($first + 10))->clean(10));
        self::assertSame(['00000000000000000003.seg'], $this->names($this->world->layout()->completed));
        self::assertSame(0, $this->world->cleaner($this->at($first + 1000))->clean(10));
        $this->world->append(['fourth']);
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['first', 'second', 'third', 'fourth']);
    }

    #[Test]
    public function pending_segments_are_never_cleaned(): void
    {
        $this->complete(['first', 'second']);
        $this->refuseRows();
        $this->world->append(['third']);
        self::assertNotNull($this->world->flush()->failure);
        self::assertSame(1, $this->world->cleaner($this->inAnHour())->clean(0));

        $this->acceptRows();
        $this->flush();
        self::assertSame(['first', 'second', 'third'], $this->world->rows());
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0);
    }

    #[Test]
    #[TestDox('database restored from a backup')]
    public function a_restored_database_gets_back_exactly_its_lost_events(): void
    {
        $this->complete(['first']);
        $this->backUp();
        $this->complete(['second', 'third', 'fourth']);
        $this->restore();
        self::assertSame(['first'], $this->world->rows());
        $this->assertAccounts(accepted: 4, delivered: 1, pending: 3);
        $this->world->append(['fifth']);

        $report = $this->flush();
        self::assertSame([4, 3], [$report->delivered, $report->redelivered]);
        (new FailureLog($this->world->runtime()))->note($report);
        self::assertStringContainsString('3 events', implode($this->world->logged()));
        self::assertSame(['first', 'second', 'third', 'fourth', 'fifth'], $this->world->rows());
        $this->assertDeliveredOnce(['first', 'second', 'third', 'fourth', 'fifth']);
    }

    #[Test]
    public function segments_that_a_restored_database_wants_again_are_not_cleaned(): void
    {
        $this->complete(['first']);
        $this->backUp();
        $this->complete(['second', 'third', 'fourth']);
        $this->restore();

        self::assertTrue($this->world->flush(limits: new FlushOptions(events: 1))->hasMore);
        self::assertSame(
            1,
            $this->world->cleaner($this->inAnHour())->clean(0),
            'Only the first: the cursor stands in the second.',
        );
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third', 'fourth']);
    }

    #[Test]
    public function segments_that_a_restored_database_refuses_for_now_are_not_cleaned(): void
    {
        $this->complete(['first']);
        $this->backUp();
        $this->complete(['second', 'third']);
        $this->restore();
        $this->refuseRows();

        self::assertNotNull($this->world->flush()->failure);
        self::assertSame(0, $this->world->cleaner($this->inAnHour())->clean(0));
        $this->acceptRows();
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    #[TestDox('segment file removed or copied')]
    public function a_missing_segment_is_reported_and_the_rest_is_delivered(): void
    {
        $this->refuseRows();

        foreach ([['a'], ['b 1', 'b 2', 'b 3'], ['c']] as $ids) {
            $this->world->append($ids);
            self::assertNotNull($this->world->flush()->failure);
        }

        self::assertTrue(unlink($this->world->layout()->sealedSegment(2)));
        $this->acceptRows();
        $losses = array_values($this->flush()->losses);

        self::assertCount(1, $losses);
        self::assertTrue($losses[0]->isAlarming);
        self::assertSame(
            MissingRange::missing(Position::start(), Layout::segmentName(2), Layout::segmentName(2))->message,
            $losses[0]->message,
        );
        self::assertSame(['a', 'c'], $this->world->rows());
        $this->assertAccounts(accepted: 5, delivered: 2, pending: 0, missing: 3);
    }

    #[Test]
    public function a_frame_that_lies_where_it_was_not_written_is_not_delivered(): void
    {
        $this->world->append(['first', 'second']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        file_put_contents($slot, (string) file_get_contents($slot), FILE_APPEND);
        $this->world->append(['third']);
        $losses = array_values($this->flush()->losses);

        self::assertCount(1, $losses);
        self::assertTrue($losses[0]->isAlarming);
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_segment_with_a_number_never_given_out_stops_the_bucket(): void
    {
        $this->complete(['first']);
        $stray = $this->world->layout()->sealedSegment(PHP_INT_MAX - 1);
        copy($this->world->layout()->completedSegment(1), $stray);
        $this->world->append(['second']);
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        Sentence::assertIn(ForeignFile::numberTooHigh($stray, 1), $report->failure->getMessage());

        unlink($stray);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function the_state_file_has_its_size_before_the_first_flush_and_keeps_it(): void
    {
        $this->world->append(['first']);
        $state = $this->world->layout()->stateFile;
        self::assertSame(8192, strlen((string) file_get_contents($state)));
        self::assertSame([], glob("{$state}.*"));

        $inode = fileinode($state);
        $this->flush();
        clearstatcache();
        self::assertSame([8192, $inode], [strlen((string) file_get_contents($state)), fileinode($state)]);
        $this->assertDeliveredOnce(['first']);
    }

    /** @return iterable<string, array{int, int, string, Throwable}> type, count, payload, refusal */
    public static function framesOfANewerVersion(): iterable
    {
        $unknown = UnsupportedFormat::ofFrame(Sentence::ANY, Sentence::NUMBER, 7);
        yield 'another type, with events' => [7, 1, '{"id":"x"}', $unknown];
        yield 'another type, without' => [7, 0, '', $unknown];
        yield 'more lines than events' => [
            Frame::TYPE_EVENTS,
            1,
            "{\"id\":\"x\"}\n{\"id\":\"y\"}",
            CorruptSegment::undecodable(Sentence::ANY, '* 1 *'),
        ];
        yield 'an unknown tag' => [
            Frame::TYPE_EVENTS, 1, '{"id":{"q":1}}', UnableToDecode::unknownTag('q', Sentence::NUMBER),
        ];
    }

    #[Test]
    #[DataProvider('framesOfANewerVersion')]
    public function a_valid_frame_that_cannot_be_read_stops_the_bucket_and_loses_nothing(
        int $type,
        int $count,
        string $payload,
        Throwable $refusal,
    ): void {
        $this->world->append(['first']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $before = (string) file_get_contents($slot);
        $frame = Frame::MAGIC.pack('CCnNJJ', $type, 0, $count, strlen($payload), strlen($before), 1).$payload;
        file_put_contents($slot, $before.$frame.hash('crc32c', $frame, true));
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        Sentence::assertIn($refusal, $report->failure->getMessage());
        self::assertSame(
            $before,
            substr((string) file_get_contents($this->world->layout()->sealedSegment(1)), 0, strlen($before)),
        );
    }

    #[Test]
    #[TestWith([false]), TestWith([true])]
    public function a_ledger_ahead_of_a_new_log_stops_the_bucket(bool $isOfEarlierVersion): void
    {
        $this->complete(['first', 'second', 'third']);
        $this->emptyBucket();
        $this->writeLedgerAsBefore($isOfEarlierVersion);

        foreach (self::ids('later ', 4) as $id) {
            $this->world->append([$id]);
            $report = $this->world->flush();
            self::assertInstanceOf(
                UnableToFlush::class,
                $report->failure,
                'Also once the log has as many segments as it had before.',
            );
            self::assertStringContainsString('spool:new-id', $report->failure->getMessage());
        }

        self::assertSame(4, $this->world->status()->events->pending, 'Nothing is taken as delivered.');

        self::assertFalse(
            $this->world->replay(ReplayFrom::now())->isDone,
            'It cannot be known that these were not delivered.',
        );
        self::assertTrue($this->world->replay(ReplayFrom::now(), again: true)->isDone);
        $this->flush();
        self::assertSame(['first', 'second', 'third', ...self::ids('later ', 4)], $this->world->rows());
        $this->assertAccounts(accepted: 4, delivered: 4, pending: 0);
    }

    #[Test]
    #[TestWith([false]), TestWith([true])]
    public function a_new_log_of_the_same_size_is_not_taken_for_the_old_one(bool $isOfEarlierVersion): void
    {
        $this->complete(['same size 1']);
        $this->emptyBucket();
        $this->writeLedgerAsBefore($isOfEarlierVersion);
        $this->world->append(['same size 1']);
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertStringContainsString('spool:new-id', $report->failure->getMessage());
        self::assertSame(1, $this->world->status()->events->pending);
    }

    /** @param list<string> $ids each in a segment of its own */
    private function complete(array $ids): void
    {
        foreach ($ids as $id) {
            $this->world->append([$id]);
            $this->flush();
        }
    }

    private function refuseRows(): void
    {
        $this->world->database()->getSchemaBuilder()->rename('events', 'away');
    }

    private function acceptRows(): void
    {
        $this->world->database()->getSchemaBuilder()->rename('away', 'events');
    }

    private function backUp(): void
    {
        copy("{$this->world->directory}/database.sqlite", "{$this->world->directory}/backup.sqlite");
    }

    private function restore(): void
    {
        $this->world->database()->disconnect();
        copy("{$this->world->directory}/backup.sqlite", "{$this->world->directory}/database.sqlite");
        $this->world->database()->reconnect();
    }

    /** As an operator would do to start afresh, but the node id stays. */
    private function emptyBucket(): void
    {
        $layout = $this->world->layout();

        foreach ([$layout->active, $layout->sealed, $layout->completed] as $directory) {
            array_map(static fn (string $name): bool => unlink("{$directory}/{$name}"), $this->names($directory));
        }

        unlink($layout->stateFile);
    }

    private function inAnHour(): Clock
    {
        clearstatcache();

        return $this->at((int) filemtime($this->world->layout()->stateFile) + 3600);
    }

    /** Without a checksum, where it is of an earlier version. */
    private function writeLedgerAsBefore(bool $isOfEarlierVersion): void
    {
        if ($isOfEarlierVersion) {
            $this->world->database()->table('spool_ledger')->update(['checksum' => null]);
        }
    }

    private function at(int $seconds): Clock
    {
        return new SetClock($seconds * 1_000_000);
    }
}
