<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Illuminate\Database\Events\TransactionBeginning;
use Illuminate\Database\Events\TransactionCommitted;
use PHPUnit\Framework\Attributes\Test;

/**
 * Segments on their way from the slots to the sink.
 */
final class SegmentDeliveryTest extends FaultTestCase
{
    #[Test]
    public function a_segment_stays_in_its_place_until_its_last_event_is_delivered(): void
    {
        $ids = self::ids('id ', 25);
        $this->world->append($ids);
        $world = $this->world->withBatch(10);
        $batches = 0;
        $report = $world->flush(limits: new FlushOptions(now: true, watch: function () use (&$batches): void {
            if (++$batches === 2) {
                $this->world->database()->statement('alter table events rename to elsewhere');
            }
        }));
        self::assertSame([2, 20, true], [$batches, $report->delivered, $report->failure !== null]);
        self::assertSame([true, false], $this->places());

        $this->world->database()->statement('alter table elsewhere rename to events');
        self::assertNull($world->flush()->failure);
        self::assertSame([false, true], $this->places());
        $this->assertDeliveredOnce($ids);
    }

    /** @return array{bool, bool} whether the first segment is among the sealed and the completed ones */
    private function places(): array
    {
        clearstatcache();
        $layout = $this->world->layout();

        return [file_exists($layout->sealedSegment(1)), file_exists($layout->completedSegment(1))];
    }

    #[Test]
    public function one_buckets_failure_never_stops_anothers_delivery(): void
    {
        $this->world->append(['stays'], 'broken');
        $this->world->append(['arrives']);
        $flusher = $this->world->flusher();
        $reports = array_map($flusher->flush(...), ['broken', 'events', 'broken']);

        self::assertStringContainsString('broken on purpose', $reports[0]->failure?->getMessage() ?? '');
        self::assertNull($reports[1]->failure);
        $this->assertDeliveredOnce(['arrives']);
        $this->assertAccounts(accepted: 1, delivered: 0, pending: 1, bucket: 'broken');
    }

    #[Test]
    public function a_thousand_events_in_fifty_slots_leave_in_one_transaction(): void
    {
        $busy = [];

        for ($n = 0; $n < 50; $n++) {
            $this->world->append(self::ids("{$n}.", 20));
            $slots = $this->slots();
            // As fifty processes at once would have them.
            $file = fopen($this->world->layout()->active.'/'.end($slots), 're');
            self::assertIsResource($file);
            self::assertTrue(flock($file, LOCK_EX | LOCK_NB));
            $busy[] = $file;
        }

        self::assertCount(50, $this->slots());
        array_map(static fn (mixed $file): bool => is_resource($file) && fclose($file), $busy);
        [$begun, $committed] = [0, 0];
        $events = $this->world->database()->getEventDispatcher();
        self::assertNotNull($events);
        $events->listen(TransactionBeginning::class, function () use (&$begun): void {
            $begun++;
        });
        $events->listen(TransactionCommitted::class, function () use (&$committed): void {
            $committed++;
        });
        $report = $this->flush();

        self::assertSame([1000, 1], [$report->delivered, $report->batches]);
        self::assertSame([1, 1], [$begun, $committed]);
        self::assertCount(50, $this->names($this->world->layout()->completed));
    }
}
