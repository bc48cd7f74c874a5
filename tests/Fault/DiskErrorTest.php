<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\File\Layout;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * A disk that does not give what is on it. A directory under a segment's name fails each read the same way (EISDIR).
 */
final class DiskErrorTest extends FaultTestCase
{
    #[Test]
    public function a_segment_that_can_not_be_read_stops_the_bucket_and_is_not_taken_for_damaged(): void
    {
        $layout = $this->world->layout();

        foreach (['first', 'second', 'third'] as $id) {
            $this->world->append([$id]);
            $this->world->seal();
        }

        $this->breakReads($layout);
        $report = $this->world->flush();

        self::assertNotNull($report->failure);
        self::assertStringContainsString("{$layout->sealedSegment(2)} can not be read from byte 0 on: Read of ", $report->failure->getMessage());
        self::assertSame([], $report->losses);
        self::assertStringContainsString($layout->sealedSegment(2), $this->world->status()->error ?? '');

        $this->mendReads($layout);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    private function breakReads(Layout $layout): void
    {
        rename($layout->sealedSegment(2), "{$this->world->directory}/aside");
        mkdir($layout->sealedSegment(2));
        // Some filesystems give an empty directory no size.
        touch("{$layout->sealedSegment(2)}/file");
    }

    private function mendReads(Layout $layout): void
    {
        unlink("{$layout->sealedSegment(2)}/file");
        rmdir($layout->sealedSegment(2));
        rename("{$this->world->directory}/aside", $layout->sealedSegment(2));
    }
}
