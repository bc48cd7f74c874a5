<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;

/**
 * A disk that does not give what is on it. A directory fails each read the same way (EISDIR).
 */
final class DiskErrorTest extends FaultTestCase
{
    #[Test]
    public function a_failed_read_is_an_error_and_no_damage(): void
    {
        // Some filesystems give an empty directory no size.
        touch("{$this->world->directory}/file");
        $file = fopen($this->world->directory, 're');
        self::assertIsResource($file);

        try {
            iterator_to_array((new SegmentReader($file))->read());
            self::fail('A directory was read.');
        } catch (UnableToFlush $e) {
            Sentence::assertIn(StorageUnavailable::notRead($this->world->directory, 0, 'Read of *'), $e->getMessage());
        }
    }

    #[Test]
    public function a_segment_that_cannot_be_opened_stops_the_bucket(): void
    {
        $layout = $this->world->layout();

        foreach (['first', 'second', 'third'] as $id) {
            $this->world->append([$id]);
            $this->world->seal();
        }

        $this->breakReads($layout);
        $report = $this->world->flush();

        self::assertNotNull($report->failure);
        Sentence::assertIn(
            ForeignFile::notRegular($layout->sealedSegment(2), Sentence::ANY),
            $report->failure->getMessage(),
        );
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
