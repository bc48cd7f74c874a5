<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Spool\FileStore\Layout;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * After maintenance mode, a pause or a suspended machine, events have waited for long and the next flush comes within
 * a minute. The first append that finds them does not warn.
 */
final class UndeliveredGraceTest extends SpoolTestCase
{
    private const BUCKET = 'api-events';

    private function appendAt(int $seconds): void
    {
        $clock = new SetClock((time() + $seconds) * 1_000_000);
        $this->spool->runtime($clock)->buffer()->bucket(self::BUCKET)->add(['event' => 'later']);
    }

    /** The kernel writes the time of today. */
    private function isFoundAt(int $seconds): void
    {
        self::assertTrue(touch((new Layout($this->spool->path, self::BUCKET))->lateFile, time() + $seconds));
    }

    #[Test]
    public function only_the_finding_of_90_seconds_later_is_reported(): void
    {
        $this->spool->add(1);
        $this->appendAt(3600);
        $this->isFoundAt(3600);
        $this->appendAt(3601);
        $this->appendAt(3660);
        self::assertSame([], $this->spool->logged);

        $this->appendAt(3692);
        $this->appendAt(3693);
        self::assertCount(1, $this->spool->logged);
    }

    #[Test]
    public function a_flush_in_between_ends_the_finding(): void
    {
        $this->spool->add(1);
        $lock = (new Layout($this->spool->path, self::BUCKET))->flushLock;
        $this->appendAt(3600);
        $this->isFoundAt(3600);
        self::assertTrue(touch($lock, time() + 3660));
        $this->appendAt(3661);
        // The next time that the machine is suspended.
        $this->appendAt(7200);

        self::assertSame([], $this->spool->logged);
    }

    #[Test]
    public function a_pause_ends_the_finding(): void
    {
        $this->spool->add(1);
        $this->appendAt(600);
        $this->isFoundAt(600);
        $pauses = $this->spool->runtime()->store()->pauses();
        $pauses->pause(self::BUCKET, new DateTimeImmutable);
        $this->appendAt(3600);
        $pauses->resume(self::BUCKET);
        $this->appendAt(4300);
        self::assertSame([], $this->spool->logged);

        $this->isFoundAt(4300);
        $this->appendAt(4400);
        self::assertCount(1, $this->spool->logged);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
    }
}
