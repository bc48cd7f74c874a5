<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A sink without a ledger: the range is saved before it is sent, and the next flush sends the same range.
 */
final class AtLeastOnceDeliveryTest extends FaultTestCase
{
    #[Test]
    #[TestWith([2])]
    #[TestWith([5])]
    public function a_range_that_was_planned_and_not_sent_is_sent_as_it_was_planned(int $batch): void
    {
        $ids = self::ids('event ', 7);
        $this->killAt('sink.called', $ids);
        self::assertSame([], $this->world->lines());
        $planned = $this->world->deliveries();
        $retry = $this->world->withBatch($batch)->flush('lines');

        self::assertNull($retry->failure, $retry->failure?->getMessage() ?? '');
        self::assertSame(
            $planned[0],
            $this->world->deliveries()[1],
            'The same range, although the batch size has changed.',
        );
        self::assertSame($ids, $this->world->lines());
        $this->assertAccounts(accepted: 7, delivered: 7, pending: 0, bucket: 'lines');
    }

    #[Test]
    #[TestWith([2])]
    #[TestWith([5])]
    public function a_sent_range_that_was_not_noted_comes_again_under_its_id(int $batch): void
    {
        $ids = self::ids('event ', 7);
        $this->killAt('sink.returned', $ids);
        self::assertSame(array_slice($ids, 0, 3), $this->world->lines());
        $retry = $this->world->withBatch($batch)->flush('lines');

        self::assertNull($retry->failure, $retry->failure?->getMessage() ?? '');
        $deliveries = $this->world->deliveries();
        self::assertSame($deliveries[0], $deliveries[1]);
        self::assertSame([...array_slice($ids, 0, 3), ...$ids], $this->world->lines());
        $this->assertAccounts(accepted: 7, delivered: 7, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function a_range_in_the_middle_of_a_frame_is_sent_as_it_was_planned(): void
    {
        $events = array_map(static fn (string $id): array => Event::of($id), self::ids('event ', 7));
        $this->world->buffer()->bucket('lines')->addMany($events);
        $this->child('flush', ['lines'], ['sink.called#2' => Act::Kill], $this->world->withBatch(3))->awaitKilled();
        $this->world->withBatch(1000)->flush('lines');
        $deliveries = $this->world->deliveries();

        self::assertCount(4, $deliveries);
        self::assertSame($deliveries[1], $deliveries[2]);
        self::assertStringContainsString('-00003/', $deliveries[2]);
        $this->assertAccounts(accepted: 7, delivered: 7, pending: 0, bucket: 'lines');
    }

    #[Test]
    public function a_range_that_was_begun_waits_when_the_settings_of_its_sink_change(): void
    {
        $ids = self::ids('event ', 4);
        $this->killAt('sink.called', $ids);
        $elsewhere = $this->world->withFile('elsewhere.json');
        $report = $elsewhere->flush('lines');

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        Sentence::assertIn(
            ConfigMismatch::sinkChanged('lines', 'file:*', 'file:*'),
            $report->failure->getMessage(),
        );
        self::assertSame([], $elsewhere->lines());
        $this->assertAccounts(accepted: 4, delivered: 0, pending: 4, bucket: 'lines');

        $this->flush('lines');
        self::assertSame($ids, $this->world->lines());
        $this->world->append(['later'], 'lines');
        self::assertNull($elsewhere->flush('lines')->failure);
        self::assertSame(['later'], $elsewhere->lines());
    }

    /** @param list<string> $ids */
    private function killAt(string $point, array $ids): void
    {
        $this->world->append($ids, 'lines');
        $this->child('flush', ['lines'], [$point => Act::Kill], $this->world->withBatch(3))->awaitKilled();
    }
}
