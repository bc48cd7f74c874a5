<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\FileStore\Fsync\SyncLease;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * One flusher per bucket, even when its lock file is removed.
 */
final class FlushLockTest extends FaultTestCase
{
    #[Test]
    #[TestDox('two flushers at once')]
    public function of_two_flushers_at_once_the_second_finds_the_bucket_busy(): void
    {
        $this->world->append(['first']);
        $flusher = $this->child('flush', points: ['seal.renamed' => Act::Wait]);
        $flusher->awaitPoint('seal.renamed');
        $this->world->append(['second']);
        $report = $this->world->flush();

        self::assertTrue($report->busy);
        self::assertNull($report->failure);
        self::assertNull($this->world->cleaner(new SystemClock)->clean(0), 'Cleaning waits, too.');
        self::assertCount(1, $this->slots());
        $flusher->goOn();
        self::assertSame(1, $flusher->result()['delivered']);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function looking_for_a_flusher_or_a_worker_makes_neither(): void
    {
        $this->world->append(['first']);
        $this->flush();
        $layout = $this->world->layout();
        touch($layout->workLock);
        $flush = fopen($layout->flushLock, 'r');
        $work = fopen($layout->workLock, 'r');
        self::assertNotFalse($flush);
        self::assertNotFalse($work);
        self::assertTrue(flock($flush, LOCK_SH) && flock($work, LOCK_EX));
        $lock = FlushLock::acquire($layout, new Permissions, new Meanwhile(static fn () => flock($flush, LOCK_UN)));

        self::assertNotNull($lock);
        $lock->release();
        self::assertNull(SyncLease::secondsSinceSync($layout, new Meanwhile(static fn () => flock($work, LOCK_UN))));
    }

    #[Test]
    public function a_flusher_that_is_killed_leaves_the_bucket_free(): void
    {
        $this->world->append(['first']);
        $flusher = $this->child('flush', points: ['seal.renamed' => Act::Kill]);
        $flusher->awaitKilled();
        $this->flush();
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function a_flusher_does_not_take_a_lock_whose_file_was_removed_since_it_looked(): void
    {
        $this->world->append(['first']);
        $late = $this->child('flush', points: ['lock.opened' => Act::Wait]);
        $late->awaitPoint('lock.opened');
        $this->removeLock();
        $flusher = $this->child('flush', points: ['seal.renamed' => Act::Wait]);
        $flusher->awaitPoint('seal.renamed');
        $late->goOn();

        self::assertTrue($late->result()['busy']);
        $flusher->goOn();
        self::assertSame(1, $flusher->result()['delivered']);
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    #[TestWith(['seal.noted'])]
    #[TestWith(['seal.put'])]
    public function a_sealer_whose_lock_file_was_removed_does_not_give_a_number_twice(string $point): void
    {
        $this->world->append(['first']);
        $stopped = $this->child('flush', points: [$point => Act::Stop]);
        $stopped->awaitStopped($point);
        $this->removeLock();
        $this->world->append(['second']);
        self::assertSame(1, $this->flush()->delivered);
        $this->resumeAndExpectStop($stopped);

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_flusher_that_lost_its_lock_file_does_not_overwrite_the_new_state(): void
    {
        $this->world->append(['first'], 'lines');
        $stopped = $this->child('flush', ['lines'], ['sink.called' => Act::Stop]);
        $stopped->awaitStopped('sink.called');
        $this->removeLock('lines');
        $this->flush('lines');
        $this->world->append(['second'], 'lines');
        $this->flush('lines');
        $this->world->append(['third'], 'lines');
        $this->resumeAndExpectStop($stopped);

        $this->flush('lines');
        self::assertSame(
            ['first', 'second', 'first', 'third'],
            $this->world->lines(),
            'A sink without a ledger: at least once.',
        );
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0, bucket: 'lines');
    }

    private function removeLock(string $bucket = 'events'): void
    {
        self::assertTrue(unlink($this->world->layout($bucket)->flushLock));
    }

    private function resumeAndExpectStop(Child $stopped): void
    {
        $stopped->resume();
        $failure = $stopped->result()['failure'];

        self::assertIsString($failure);
        Sentence::assertIn(BucketBusy::lockReplaced(Sentence::ANY), $failure);
    }
}
