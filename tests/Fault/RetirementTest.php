<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A bucket is retired while it is written to, and by a process that dies.
 */
final class RetirementTest extends FaultTestCase
{
    #[Test]
    #[TestWith(['retire.segment'])]
    #[TestWith(['retire.emptied'])]
    #[TestWith(['retire.marked'])]
    public function one_that_was_killed_midway_is_still_listed_and_is_retired_by_the_next(string $point): void
    {
        $this->deliverTwice();
        $this->child('retire', points: [$point => Act::Kill])->awaitKilled();

        self::assertContains('events', $this->world->store()->buckets());
        self::assertSame(RetirementOutcome::Retired, $this->world->store()->retire('events'));
        self::assertNotContains('events', $this->world->store()->buckets());
        $this->continues();
    }

    #[Test]
    #[TestWith(['retire.emptied'])]
    #[TestWith(['retire.marked'])]
    public function an_event_that_comes_meanwhile_keeps_the_bucket(string $point): void
    {
        $this->deliverTwice();
        $retiring = $this->child('retire', points: [$point => Act::Wait]);
        $retiring->awaitPoint($point);
        $this->world->append(['meanwhile']);
        $retiring->goOn();

        self::assertSame('events_wait', $retiring->result()['outcome']);
        self::assertContains('events', $this->world->store()->buckets());
        $this->flush();
        self::assertContains('meanwhile', $this->world->rows());
    }

    #[Test]
    public function a_writer_that_had_opened_a_file_finds_another_place(): void
    {
        $this->deliverTwice();
        $writer = $this->child('append', ['late'], ['slot.opened' => Act::Wait]);
        $writer->awaitPoint('slot.opened');
        self::assertSame(RetirementOutcome::Retired, $this->world->store()->retire('events'));
        $writer->goOn();
        $writer->result();

        self::assertContains('events', $this->world->store()->buckets());
        $this->flush();
        self::assertContains('late', $this->world->rows());
    }

    private function deliverTwice(): void
    {
        $this->world->append(['1']);
        $this->flush();
        $this->world->append(['2']);
        $this->flush();
    }

    /** The ledger knows the place at which the log was left. */
    private function continues(): void
    {
        $this->world->append(['3']);
        $this->flush();
        self::assertContains('events', $this->world->store()->buckets());
        $this->assertDeliveredOnce(['1', '2', '3']);
    }
}
