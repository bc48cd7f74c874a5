<?php

declare(strict_types=1);

namespace Headroom\Testing;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Sink;
use PHPUnit\Framework\Attributes\Test;

/**
 * The contract of a sink that keeps the cursor: a range arrives once or not at all, and the ledger shows which.
 */
abstract class ExactlyOnceContract extends SinkContract
{
    abstract public function createSink(): ExactlyOnce;

    public function prepare(Sink $sink, Delivery $delivery): void
    {
        if ($sink instanceof ExactlyOnce) {
            $sink->register($delivery->source);
        }
    }

    #[Test]
    public function a_log_is_unknown_until_it_is_registered_and_then_at_its_start(): void
    {
        $source = $this->log()->source;

        self::assertNull($this->createSink()->progress($source));
        $this->createSink()->register($source);
        self::assertEquals(Progress::none(), $this->createSink()->progress($source));
    }

    #[Test]
    public function registering_a_known_log_changes_nothing(): void
    {
        $log = $this->log();
        $sink = $this->createSink();
        $this->deliver($sink, $log->delivery([$this->row('a')]));
        $sink->register($log->source);

        self::assertEquals(new Progress($log->end(), 1), $sink->progress($log->source));
    }

    #[Test]
    public function progress_counts_over_deliveries_and_processes(): void
    {
        $log = $this->log();
        $this->deliver($this->createSink(), $log->delivery([$this->row('a'), $this->row('b'), $this->row('c')]));
        $this->deliver($this->createSink(), $log->delivery([$this->row('d')]));

        self::assertEquals(new Progress($log->end(), 4), $this->createSink()->progress($log->source));
    }

    #[Test]
    public function a_range_that_comes_again_is_refused_and_nothing_arrives_twice(): void
    {
        $log = $this->log();
        $sink = $this->createSink();
        $delivery = $log->delivery([$this->row('a'), $this->row('b')]);
        $this->deliver($sink, $delivery);

        $this->assertRefused($sink, $delivery);
        $this->assertRefused($this->createSink(), $delivery);
        self::assertSame(['a', 'b'], $this->arrivedIds());
        self::assertEquals(new Progress($log->end(), 2), $this->createSink()->progress($log->source));
    }

    #[Test]
    public function a_range_that_begins_elsewhere_than_the_ledger_stands_is_refused(): void
    {
        $log = $this->log();
        $log->delivery([$this->row('skipped')]);
        $ahead = $log->delivery([$this->row('ahead')]);
        $sink = $this->createSink();
        $sink->register($log->source);

        $this->assertRefused($sink, $ahead);
        self::assertSame([], $this->arrivedIds());
        self::assertEquals(Progress::none(), $sink->progress($log->source));
    }

    #[Test]
    public function a_log_that_was_never_registered_is_refused(): void
    {
        $log = $this->log();

        $this->assertRefused($this->createSink(), $log->delivery([$this->row('a')]));
        self::assertSame([], $this->arrivedIds());
    }

    #[Test]
    public function after_a_refusal_the_sink_goes_on_from_where_the_ledger_stands(): void
    {
        $log = $this->log();
        $sink = $this->createSink();
        $first = $log->delivery([$this->row('a')]);
        $this->deliver($sink, $first);
        $this->assertRefused($sink, $first);
        $this->deliver($sink, $log->delivery([$this->row('b')]));

        self::assertSame(['a', 'b'], $this->arrivedIds());
    }

    #[Test]
    public function of_a_failed_delivery_nothing_arrives_and_the_ledger_stands_still(): void
    {
        $log = $this->log();
        $this->deliver($this->createSink(), $log->delivery([$this->row('before')]));
        $before = $log->end();
        $delivery = $log->delivery([$this->row('a'), $this->row('b')]);
        $sink = $this->createSink();
        $this->obstruct();
        $this->failureOf($sink, $delivery);
        $this->clear();

        self::assertSame(['before'], $this->arrivedIds());
        self::assertEquals(new Progress($before, 1), $sink->progress($log->source));
        $this->deliver($sink, $delivery);
        self::assertSame(['before', 'a', 'b'], $this->arrivedIds());
    }

    #[Test]
    public function two_logs_do_not_get_in_each_others_way(): void
    {
        [$one, $other] = [$this->log(), $this->log()];
        $sink = $this->createSink();
        $this->deliver($sink, $one->delivery([$this->row('a')]));
        $this->deliver($sink, $other->delivery([$this->row('b'), $this->row('c')]));
        $this->deliver($sink, $one->delivery([$this->row('d')]));

        self::assertSame(['a', 'b', 'c', 'd'], $this->arrivedIds());
        self::assertEquals(new Progress($one->end(), 2), $sink->progress($one->source));
        self::assertEquals(new Progress($other->end(), 2), $sink->progress($other->source));
    }

    #[Test]
    public function the_range_counts_and_not_where_its_events_lie(): void
    {
        $log = $this->log();
        $whole = $log->delivery([$this->row('a'), $this->row('b')]);
        $half = new Delivery(
            $whole->source,
            $whole->from,
            new Position($whole->to->segment, 100, 0),
            Batch::of([$whole->batch->record(0)]),
        );
        $sink = $this->createSink();
        $this->deliver($sink, $half);

        $this->assertRefused($sink, $whole);
        self::assertSame(['a'], $this->arrivedIds());
    }

    final public function assertRefused(ExactlyOnce $sink, Delivery $delivery): void
    {
        try {
            $sink->deliver($delivery);
        } catch (CursorMoved $refusal) {
            self::assertStringContainsString($delivery->source->toString(), $refusal->getMessage());

            return;
        }

        self::fail("The delivery from {$delivery->from->toString()} was taken although the ledger is elsewhere.");
    }
}
