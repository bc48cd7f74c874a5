<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore;

use ArrayObject;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

final class LateBucketTest extends DirectoryTestCase
{
    private const BUCKET = 'api-events';

    #[Test]
    public function an_append_in_time_asks_nothing(): void
    {
        $asked = new ArrayObject;
        $writer = new SegmentWriter(
            AppendConfig::fromArray(['path' => $this->directory->path]),
            self::BUCKET,
            late: static function () use ($asked): void {
                $asked->append(1);
            },
        );
        $writer->append('{"a":1}', 1);
        $writer->append('{"a":1}', 1);
        self::assertCount(0, $asked);

        touch((new Layout($this->directory->path, self::BUCKET))->flushLock, time() - 301);
        clearstatcache();
        $writer->append('{"a":1}', 1);
        self::assertNotCount(0, $asked);
    }
}
