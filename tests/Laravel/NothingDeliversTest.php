<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Health\NothingDelivers;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * The check behind /up. Its first finding only leaves a mark; the same finding 90 seconds later counts.
 */
final class NothingDeliversTest extends SpoolTestCase
{
    private function layout(): Layout
    {
        return new Layout($this->spool->path, 'api-events');
    }

    private function findings(int $later): int
    {
        $clock = new SetClock((time() + $later) * 1_000_000);

        return count((new NothingDelivers($this->spool->runtime($clock)))->findings());
    }

    #[Test]
    public function the_marks_keep_the_content_of_a_file_that_they_are_hard_links_to(): void
    {
        $this->spool->add(1);
        $other = $this->spool->file('other');
        file_put_contents($other, 'content');

        foreach ([$this->layout()->flushLock, $this->layout()->lateFile] as $mark) {
            @unlink($mark);
            self::assertTrue(link($other, $mark));
        }

        self::assertTrue(touch($other, time() - 3600));
        $this->findings(400);
        $this->spool->runtime()->store()->claim('api-events');
        clearstatcache();

        self::assertSame('content', file_get_contents($other));
        self::assertLessThan(60, time() - (int) filemtime($other));
    }
}
