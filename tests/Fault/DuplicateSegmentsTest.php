<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Process\Process;

/**
 * A slot comes back from a backup after it was sealed and delivered: files were put over the directory, or a backup
 * walked through it while it lived.
 */
final class DuplicateSegmentsTest extends FaultTestCase
{
    #[Test]
    #[TestDox('active segment restored from a backup after it was sealed')]
    public function nothing_of_a_slot_that_was_sealed_before_is_delivered_twice(): void
    {
        $this->world->append(['a', 'b']);
        $this->keep();
        $this->flush();
        $this->putBack();
        self::assertSame(0, $this->flush()->delivered);
        $this->assertDelivered(['a', 'b']);
    }

    #[Test]
    #[TestDox('active segment restored from a backup after it was sealed')]
    public function events_appended_to_it_since_are_delivered_once(): void
    {
        $this->world->append(['a']);
        $this->keep();
        $this->world->append(['b']);
        $this->flush();
        $this->putBack();
        $this->world->append(['c']);
        $this->world->append(['d']);
        self::assertSame(2, $this->flush()->delivered);
        $this->putBack();
        $this->world->append(['e']);
        self::assertSame(1, $this->flush()->delivered);
        $this->assertDelivered(['a', 'b', 'c', 'd', 'e']);
    }

    #[Test]
    public function it_is_known_also_when_other_segments_were_made_since(): void
    {
        $this->world->append(['a']);
        $this->keep();
        $this->flush();

        foreach (['b', 'c', 'd'] as $event) {
            $this->world->append([$event]);
            $this->flush();
        }

        $this->putBack();
        self::assertSame(0, $this->flush()->delivered);
        $this->assertDelivered(['a', 'b', 'c', 'd']);
    }

    /** @param list<string> $rows */
    private function assertDelivered(array $rows): void
    {
        self::assertSame($rows, $this->world->rows());
        $status = $this->world->status();
        self::assertSame(
            [count($rows), count($rows), 0, 0],
            [$status->events->accepted, $status->events->delivered, $status->events->pending, $status->events->missing],
        );
        self::assertSame([], glob("{$this->world->layout()->directory}/*.new"));
    }

    private function keep(): void
    {
        (new Process(['cp', '-a', $this->world->layout()->active, "{$this->world->directory}/kept"]))->mustRun();
    }

    private function putBack(): void
    {
        (new Process(['cp', '-a', "{$this->world->directory}/kept/.", $this->world->layout()->active]))->mustRun();
    }
}
