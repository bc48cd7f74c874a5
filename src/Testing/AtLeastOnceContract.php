<?php

declare(strict_types=1);

namespace Headroom\Testing;

use Headroom\Core\Batch;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use PHPUnit\Framework\Attributes\Test;

/**
 * The contract of a sink that may receive a range twice: readers must be able to recognize duplicates by their ids.
 */
abstract class AtLeastOnceContract extends SinkContract
{
    #[Test]
    public function every_event_arrives_with_its_id(): void
    {
        $delivery = $this->log()->delivery([$this->row('a'), $this->row('b')]);
        $this->deliver($this->createSink(), $delivery);

        self::assertSame($this->idsOf($delivery), $this->sentIds());
    }

    #[Test]
    public function a_range_that_comes_again_arrives_with_the_same_ids(): void
    {
        $delivery = $this->log()->delivery([$this->row('a'), $this->row('b')]);
        $this->deliver($this->createSink(), $delivery);
        $this->deliver($this->createSink(), $delivery);

        self::assertSame($this->idsOf($delivery), array_values(array_unique($this->sentIds())));
    }

    #[Test]
    public function the_id_an_event_had_before_it_was_buffered_outranks_its_place(): void
    {
        $placed = $this->log()->delivery([$this->row('a')]);
        $record = $placed->batch->record(0);
        $named = new Record($record->position, $record->acceptedAt, $record->values, 'client-4711');
        $this->deliver(
            $this->createSink(),
            new Delivery($placed->source, $placed->from, $placed->to, Batch::of([$named])),
        );

        self::assertSame(['client-4711'], $this->sentIds());
    }

    /** @return list<string> */
    private function idsOf(Delivery $delivery): array
    {
        return array_map($delivery->idOf(...), iterator_to_array($delivery->batch, false));
    }

    /** @return list<?string> */
    private function sentIds(): array
    {
        return array_map(static fn (Arrived $arrived): ?string => $arrived->id, $this->arrived());
    }
}
