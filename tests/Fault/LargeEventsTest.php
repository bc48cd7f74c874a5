<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\InvalidEvent;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Events that are far larger than most: a delivery is held in memory whole.
 */
final class LargeEventsTest extends FaultTestCase
{
    #[Test]
    public function events_just_under_8_mib_are_one_write_and_larger_ones_are_refused(): void
    {
        $lines = $this->world->buffer()->bucket('lines');
        $of = static fn (int $bytes): array
            => ['id' => 'x', 'body' => str_repeat('x', $bytes - strlen('{"id":"x","body":""}'))];
        // Eight lines and the seven line feeds between them. The first write puts the second one at an even offset,
        // behind which an odd payload needs the space that a writer adds.
        $rows = array_fill(0, 7, $of(1_048_576));
        $most = [...$rows, $of(8_388_607 - 7 * 1_048_577)];
        $lines->add($of(100));
        $lines->addMany($most);

        try {
            $lines->addMany([...$rows, $of(8_388_608 - 7 * 1_048_577)]);
            self::fail('It was accepted.');
        } catch (InvalidEvent $e) {
            self::assertStringContainsString('8388607', $e->getMessage());
        }

        $report = $this->flush('lines');

        self::assertSame([[], 9], [$report->losses, $report->delivered]);
    }

    #[Test]
    #[TestWith(['events'])]
    #[TestWith(['lines'])]
    public function a_delivery_ends_at_four_mebibytes_however_many_events_it_may_have(string $bucket): void
    {
        $intake = $this->world->buffer()->bucket($bucket);
        $event = ['id' => 'large', 'body' => str_repeat('.', 524_288)];

        foreach (range(1, 20) as $ignored) {
            $intake->add($event);
        }

        $report = $this->flush($bucket);

        self::assertSame([20, 3], [$report->delivered, $report->batches], 'Eight are a little more than 4 MiB.');
        $this->assertAccounts(accepted: 20, delivered: 20, pending: 0, bucket: $bucket);
    }
}
