<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Events that are far larger than most: a delivery is held in memory whole.
 */
final class LargeEventsTest extends FaultTestCase
{
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
