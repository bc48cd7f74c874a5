<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A bucket that an operator has paused.
 */
final class PauseTest extends FaultTestCase
{
    #[Test, Group('day-2')]
    #[TestWith(['events', 'ledger.advanced'])]
    #[TestWith(['lines', 'sink.called'])]
    public function a_running_flush_stops_after_its_batch_and_resuming_delivers_the_rest_once(
        string $bucket,
        string $point,
    ): void {
        $this->world = $this->world->withBatch(2);
        $this->world->append(['1', '2', '3', '4', '5'], $bucket);
        $flusher = $this->child('flush', [$bucket], [$point => Act::Wait]);
        $flusher->awaitPoint($point);
        $this->pause($bucket);
        self::assertSame($flusher->pid(), $this->world->store()->flushing($bucket));
        $flusher->goOn();
        self::assertSame(2, $flusher->result()['delivered']);
        self::assertNull($this->world->store()->flushing($bucket));

        // Appends go on, and no other process delivers either.
        $this->world->append(['6'], $bucket);
        $report = $this->flush($bucket);
        self::assertSame([true, 0, null], [$report->paused, $report->delivered, $report->failure]);
        self::assertSame(0, $this->child('flush', [$bucket])->result()['delivered']);
        $this->assertAccounts(accepted: 6, delivered: 2, pending: 4, bucket: $bucket);

        $this->world->store()->pauses()->resume($bucket);
        self::assertSame(4, $this->child('flush', [$bucket])->result()['delivered']);
        self::assertSame(
            ['1', '2', '3', '4', '5', '6'],
            $bucket === 'events' ? $this->world->rows() : $this->world->lines(),
        );
    }

    #[Test]
    public function only_the_bucket_that_was_paused_waits(): void
    {
        $this->world->append(['1']);
        $this->world->append(['1'], 'lines');
        $this->pause('lines');

        self::assertSame(1, $this->flush()->delivered);
        self::assertSame(0, $this->flush('lines')->delivered);
    }

    #[Test]
    public function a_paused_bucket_s_database_is_left_alone(): void
    {
        $this->world->append(['1']);
        $this->pause('events');
        $this->world->database()->statement('alter table spool_ledger rename to being_migrated');
        $report = $this->flush();

        self::assertSame([true, null], [$report->paused, $report->failure]);
    }

    #[Test]
    public function a_mark_that_was_left_empty_by_a_full_disk_counts(): void
    {
        $this->world->append(['1']);
        $this->pause('events');
        file_put_contents("{$this->world->directory}/buffer/paused/events", '');
        $pause = $this->world->store()->pauses()->of('events');

        self::assertNotNull($pause);
        self::assertStringContainsString('(uid '.posix_geteuid().')', $pause->by);
        self::assertTrue($this->flush()->paused);
    }

    private function pause(string $bucket): void
    {
        self::assertTrue($this->world->store()->pauses()->pause($bucket, (new SystemClock)->now()));
    }
}
