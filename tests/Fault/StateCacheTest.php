<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\FileStore\Layout;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A process that flushes repeatedly lists the completed segments once, and again only when another process may have
 * changed them.
 *
 * A segment with a number that no sealer gave shows whether the process has listed them: a flush that sees it refuses.
 */
final class StateCacheTest extends FaultTestCase
{
    private const STRANGE = 900_000;

    #[Test]
    public function completed_segments_are_listed_by_the_first_flush_of_a_process_only(): void
    {
        $flusher = $this->world->flusher();
        $this->deliver($flusher, 'first');
        $this->putStrangeSegment();
        $this->deliver($flusher, 'second');
        // Nothing to do, twice: it says how the directories are all the same.
        self::assertNull($this->flushBy($flusher)->failure);
        $this->deliver($flusher, 'third');
        $this->assertHasLooked($this->flushBy($this->world->flusher()));
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function when_another_process_has_flushed_meanwhile_it_is_listed_again(): void
    {
        $flusher = $this->world->flusher();
        $this->deliver($flusher, 'first');
        $this->deliver($this->world->flusher(), 'second');
        $this->putStrangeSegment();
        $this->assertHasLooked($this->flushBy($flusher));
    }

    #[Test]
    public function when_another_buffer_lies_at_the_same_path_it_is_listed_again(): void
    {
        $flusher = $this->world->flusher();
        $this->deliver($flusher, 'first');
        $directory = $this->world->layout()->directory;
        // As many writes behind it, and other inodes.
        (new Process(['cp', '-a', $directory, "{$directory}-copy"]))->mustRun();
        rename($directory, "{$directory}-before");
        rename("{$directory}-copy", $directory);
        $this->putStrangeSegment();
        $this->assertHasLooked($this->flushBy($flusher));
    }

    #[Test]
    public function a_round_that_only_waited_has_not_looked(): void
    {
        $this->deliver($this->world->flusher(), 'first');
        $this->world->database()->getSchemaBuilder()->rename('events', 'away');
        $this->world->append(['second']);
        self::assertNotNull($this->world->flush()->failure);
        $this->world->database()->getSchemaBuilder()->rename('away', 'events');
        $flusher = $this->world->flusher();
        self::assertNotNull($flusher->flush('events', new FlushOptions)->waiting);
        $this->putStrangeSegment();
        $this->assertHasLooked($this->flushBy($flusher));
    }

    #[Test]
    public function a_state_file_put_back_in_place_loses_no_event(): void
    {
        $flusher = $this->world->flusher();
        $this->deliver($flusher, 'first');
        $file = $this->world->layout()->stateFile;
        $state = (string) file_get_contents($file);
        $this->deliver($this->world->flusher(), 'second');
        file_put_contents($file, $state);
        // As long as the one before.
        $this->world->append(['third!']);
        self::assertNull($this->flushBy($flusher)->failure);
        $this->assertDeliveredOnce(['first', 'second', 'third!']);
    }

    #[Test]
    #[TestWith(['seal.put'])]
    #[TestWith(['seal.counted'])]
    #[TestWith(['seal.noted'])]
    #[TestWith(['seal.renamed'])]
    #[TestWith(['segment.completed'])]
    public function a_failure_in_the_middle_of_a_round_loses_and_doubles_nothing(string $point): void
    {
        $reached = 0;
        $checkpoint = new CallingCheckpoint(static function (string $name) use ($point, &$reached): void {
            if ($name === $point && ++$reached === 2) {
                throw new RuntimeException("At {$name}.");
            }
        });
        $flusher = $this->world->flusher($checkpoint);
        $this->deliver($flusher, 'first');
        $this->world->append(['second']);
        self::assertSame("At {$point}.", $this->flushBy($flusher)->failure?->getMessage());
        $this->world->append(['third']);
        $report = $this->flushBy($flusher);

        self::assertNull($report->failure);
        self::assertSame([], $report->losses);
        self::assertNull($this->flushBy($flusher)->failure);
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    private function deliver(Flusher $flusher, string $id): void
    {
        $this->world->append([$id]);
        $report = $this->flushBy($flusher);
        self::assertNull($report->failure);
        self::assertSame(1, $report->delivered);
    }

    private function flushBy(Flusher $flusher): FlushReport
    {
        return $flusher->flush('events', new FlushOptions(now: true));
    }

    private function putStrangeSegment(): void
    {
        file_put_contents($this->world->layout()->completed.'/'.Layout::segmentName(self::STRANGE), 'x');
    }

    private function assertHasLooked(FlushReport $report): void
    {
        self::assertStringContainsString(Layout::segmentName(self::STRANGE), (string) $report->failure?->getMessage());
    }
}
