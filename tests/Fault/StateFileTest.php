<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Two records, written alternately: after any crash, one of them is whole.
 */
final class StateFileTest extends FaultTestCase
{
    private const BLOCK = 4096;

    #[Test]
    #[TestWith([0])]
    #[TestWith([1])]
    public function a_record_that_was_written_in_part_leaves_the_older_one(int $block): void
    {
        $this->world->append(['first']);
        $this->flush();

        // The next record goes to the other block than the newest.
        if ($this->state()->generation() % 2 === $block) {
            $this->state()->write($this->state()->read());
        }

        $before = $this->state();
        self::assertSame(1 - $block, $before->generation() % 2);
        $this->world->append(['second']);
        // The slot has its seal already, for which there would be no room either.
        $this->child('flush', points: ['seal.put' => Act::Kill])->awaitKilled();
        $result = $this->child('flush with too little room', [(string) ($block * self::BLOCK + 100)])->result();

        self::assertIsString($result['failure']);
        self::assertStringContainsString($this->world->layout()->stateFile, $result['failure']);
        $after = $this->state();
        self::assertSame($before->generation(), $after->generation());
        self::assertEquals($before->read(), $after->read());
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_flush_that_only_sealed_leaves_no_inode_that_a_later_slot_may_get(): void
    {
        $this->world->append(['first']);
        $this->world->seal();
        $record = $this->state()->read();

        self::assertSame([1, 1, 0, 0], [$record->sealed, $record->accepted, $record->lastCount, $record->lastInode]);
    }

    #[Test]
    public function a_seal_and_the_delivery_behind_it_are_two_records(): void
    {
        $this->world->append(['first']);
        $this->flush();
        $before = $this->state()->generation();
        $this->world->append(['second']);
        $this->flush();
        $record = $this->state();

        self::assertSame([$before + 2, 0], [$record->generation(), $record->read()->lastInode]);
    }

    #[Test]
    #[TestWith([0])]
    #[TestWith([1])]
    public function a_record_that_is_too_long_is_refused_and_costs_neither_of_the_two(int $block): void
    {
        $this->world->append(['first']);
        $this->flush();
        $layout = $this->world->layout();
        $lock = FlushLock::acquire($layout, new Permissions, new SystemClock);
        self::assertNotNull($lock);
        $state = new StateFile($layout->stateFile, new Permissions, $lock);
        $record = $state->read();

        if ($state->generation() % 2 === $block) {
            $state->write($record);
        }

        $before = file_get_contents($layout->stateFile);

        try {
            $state->write($record->with(
                $record->flush->withRetry(new RetryState(1, 1, 1, str_repeat('x', self::BLOCK))),
                1,
            ));
            self::fail('A record longer than its block was written.');
        } catch (UnableToFlush $e) {
            Sentence::assertIn(
                StorageUnavailable::stateNotWritten($layout->stateFile, '*'.self::BLOCK.'*'),
                $e->getMessage(),
            );
        } finally {
            $lock->release();
        }

        self::assertSame($before, file_get_contents($layout->stateFile));
    }

    #[Test]
    #[TestWith([0])]
    #[TestWith([1])]
    public function either_record_may_be_damaged_and_nothing_is_lost_or_doubled(int $block): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->world->append(['second']);
        $this->flush();
        $this->damage($block);
        $this->world->append(['third']);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_state_file_whose_first_record_never_got_its_name_is_made_again(): void
    {
        $this->world->append(['first']);
        // Where link() is not to be had, the first flush makes it.
        unlink($this->world->layout()->stateFile);
        file_put_contents("{$this->world->layout()->stateFile}.new", 'half of it');
        $this->flush();
        $this->assertDeliveredOnce(['first']);
        self::assertFileDoesNotExist("{$this->world->layout()->stateFile}.new");
    }

    #[Test]
    public function without_its_state_file_a_bucket_goes_on_from_its_ledger(): void
    {
        foreach (['first', 'second'] as $id) {
            $this->world->append([$id]);
            $this->flush();
        }

        $this->world->append(['third']);
        unlink($this->world->layout()->stateFile);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function without_state_file_and_delivered_segments_it_asks_and_gets_new_events(): void
    {
        foreach (['first', 'second'] as $id) {
            $this->world->append([$id]);
            $this->flush();
        }

        $this->world->append(['third']);
        // As cleaning leaves it: the newest one stays.
        array_map(unlink(...), [$this->world->layout()->stateFile, $this->world->layout()->completedSegment(1)]);
        $report = $this->world->flush();
        self::assertStringContainsString('spool:new-id', $report->failure?->getMessage() ?? '');
        self::assertSame(['first', 'second'], $this->world->rows());

        self::assertSame(1, $this->world->replay(ReplayFrom::now(), again: true)->redelivered);
        $this->flush();
        $this->world->append(['fourth']);
        $this->flush();
        self::assertSame(['first', 'second', 'second', 'third', 'fourth'], $this->world->rows());
    }

    #[Test]
    public function two_damaged_records_stop_the_bucket_and_the_file_is_named(): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->damage(0);
        $this->damage(1);
        $this->world->append(['second']);
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertStringContainsString($this->world->layout()->stateFile, $report->failure->getMessage());
        self::assertSame(['first'], $this->world->rows());
        self::assertCount(1, $this->slots(), 'What waits is left as it is.');
    }

    private function state(): StateFile
    {
        $state = new StateFile($this->world->layout()->stateFile, new Permissions);
        $state->read();

        return $state;
    }

    private function damage(int $block): void
    {
        $file = fopen($this->world->layout()->stateFile, 'r+e');
        self::assertIsResource($file);
        fseek($file, $block * self::BLOCK + 30);
        fwrite($file, "\0\0\0\0");
        fclose($file);
    }
}
