<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\PowerCut\Trace;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A disk that cannot write: strace makes the kernel report it. After a failed fsync() the pages count as clean, so a
 * second one succeeds and means nothing.
 */
final class SyncFailureTest extends FaultTestCase
{
    /** @param list<string> $before */
    #[Test, Group('day-3')]
    #[TestWith([['add 1'], 'add 2'], 'opened')]
    #[TestWith([['keep', 'add 1', 'add 1b', 'add 1c'], 'add 2'], 'kept')]
    #[TestWith([['add 1'], 'many 2 2b'], 'many')]
    #[TestWith([[], 'add 2'], 'the first of its slot')]
    public function an_event_that_could_not_be_put_on_disk_is_refused_and_never_delivered(
        array $before,
        string $refused,
    ): void {
        $adds = count($before) - (int) in_array('keep', $before, true);
        $trace = $this->trace(
            [...$before, $refused, 'add 3', 'add 4', 'release'],
            'fdatasync:error=EIO:when='.($adds + 1),
        );

        self::assertSame([$refused], array_keys($trace->failures));
        Sentence::assertIn(UnableToAppend::notSynced(Sentence::ANY), $trace->failures[$refused]);
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce([...array_slice(['1', '1b', '1c'], 0, $adds), '3', '4']);
    }

    #[Test]
    public function nothing_is_written_again_to_a_slot_that_could_not_be_put_on_disk(): void
    {
        $uid = posix_geteuid();
        $words = $this->trace(['add 1', 'add 2', 'add 3'], 'fdatasync:error=EIO:when=2')->words();
        [$slot, $aside] = ["events/active/u{$uid}-0000.log", "events/active/u{$uid}-1024.log"];

        self::assertSame(
            [
                "write {$slot}",
                "fdatasync fails {$slot}",
                "truncate {$slot}",
                "fsync {$slot}",
                "rename {$slot} {$aside}",
            ],
            $words['add 2'],
        );
        self::assertContains("create {$slot}", $words['add 3']);
        self::assertSame(
            [],
            array_filter($words['add 3'], static fn (string $word): bool => str_contains($word, $aside)),
        );
    }

    #[Test]
    public function slots_that_were_given_up_do_not_replace_each_other(): void
    {
        $this->trace(['add 1', 'add x', 'add 2', 'add y', 'add 3', 'add z', 'add 4'], 'fdatasync:error=EIO:when=2+2');
        $uid = posix_geteuid();

        self::assertSame(
            ["u{$uid}-0000.log", "u{$uid}-1024.log", "u{$uid}-2048.log", "u{$uid}-3072.log"],
            $this->slots(),
        );
        $this->flush();
        $this->assertDeliveredOnce(['1', '2', '3', '4']);
        self::assertSame([], $this->slots());
    }

    #[Test, Group('day-3')]
    public function a_cut_that_could_not_be_put_on_disk_is_told_as_such(): void
    {
        // Of the second append: the first one's fsyncs come before.
        $this->trace(['add 1'], null);
        $trace = $this->trace(['add 2'], 'fsync,fdatasync:error=EIO:when=1+');

        Sentence::assertIn(UnableToAppend::truncationNotSynced(Sentence::ANY), $trace->failures['add 2']);
        $this->flush();
        $this->assertDeliveredOnce(['1']);
    }

    #[Test, Group('day-1')]
    #[TestWith([1])]
    #[TestWith([2])]
    #[TestWith([3])]
    public function an_event_whose_root_could_not_be_put_on_disk_is_not_written(int $when): void
    {
        $trace = $this->trace(['add 1', 'add 2'], "fsync:error=EIO:when={$when}");

        self::assertSame(['add 1'], array_keys($trace->failures));
        Sentence::assertIn(
            UnableToAppend::directoryEntryNotSynced(Sentence::ANY, Sentence::ANY),
            $trace->failures['add 1'],
        );
        $this->flush();
        $this->assertDeliveredOnce(['2']);
    }

    #[Test, Group('day-1')]
    public function an_event_whose_slot_could_not_be_made_findable_is_not_written(): void
    {
        $this->trace(['add 1', 'flush events'], null);
        $trace = $this->trace(['add 2', 'add 3'], 'fsync:error=EIO:when=1');

        self::assertSame(['add 2'], array_keys($trace->failures));
        Sentence::assertIn(
            UnableToAppend::directoryEntryNotSynced(Sentence::ANY, "*{$this->world->layout()->active}*"),
            $trace->failures['add 2'],
        );
        $this->flush();
        $this->assertDeliveredOnce(['1', '3']);
    }

    #[Test, Group('day-1')]
    public function a_disk_that_puts_nothing_down_takes_no_event_and_keeps_none(): void
    {
        $trace = $this->trace(['add 1', 'add 2', 'many 3 4'], 'fsync,fdatasync:error=EIO:when=1+');

        self::assertSame(['add 1', 'add 2', 'many 3 4'], array_keys($trace->failures));
        $this->trace(['add 5'], null);
        $this->flush();
        $this->assertDeliveredOnce(['5']);
    }

    /** @return array<int, array{int, bool}> */
    public static function failedSyncs(): array
    {
        return Sample::of([
            [1, false],
            [2, true],
            [3, false],
            [4, false],
            [5, true],
        ], 2);
    }

    #[Test, Group('day-2')]
    #[DataProvider('failedSyncs')]
    public function a_flush_that_cannot_sync_fails_and_the_next_one_goes_on(int $when, bool $isOfTheState): void
    {
        $this->trace(['add 1', 'add 2'], null);
        $trace = $this->trace(['flush events'], "fsync:error=EIO:when={$when}");

        self::assertSame(['flush events'], array_keys($trace->failures));
        Sentence::assertIn(
            $isOfTheState
                ? StorageUnavailable::stateNotWritten(Sentence::ANY, Sentence::ANY)
                : StorageUnavailable::notOnDisk(Sentence::ANY),
            $trace->failures['flush events'],
        );
        $this->trace(['flush events'], null);
        $this->assertDeliveredOnce(['1', '2']);
    }

    #[Test]
    public function a_round_of_the_worker_that_fails_says_so_and_counts_nothing_as_synced(): void
    {
        $trace = Trace::of(
            $this->world->withDurability('interval'),
            ['add 1', 'sync', 'sync again'],
            'fdatasync:error=EIO:when=1',
        );

        self::assertSame(['sync'], array_keys($trace->failures));
        Sentence::assertIn(StorageUnavailable::notOnDisk(Sentence::ANY), $trace->failures['sync']);
        $words = $trace->words();
        self::assertNotContains('create events/work.lock', $words['sync'], 'Nobody is told that it was synced.');
        self::assertContains('fdatasync events/active/u'.posix_geteuid().'-0000.log', $words['sync again']);
        self::assertContains('create events/work.lock', $words['sync again']);
    }

    #[Test]
    public function a_writer_that_opened_a_slot_before_it_was_given_up_takes_another(): void
    {
        $this->trace(['add 1'], null);
        $active = $this->world->layout()->active;
        $slot = "{$active}/u".posix_geteuid().'-0000.log';
        $writer = $this->child('append', ['2'], ['slot.opened' => Act::Wait], $this->world->withDurability('power'));
        $writer->awaitPoint('slot.opened');
        $aside = str_replace('0000', '1024', $slot);
        rename($slot, $aside);
        $size = filesize($aside);
        $writer->goOn();
        $writer->result();
        clearstatcache();

        self::assertSame($size, filesize($aside));
        self::assertFileExists($slot);
        $this->flush();
        $this->assertDeliveredOnce(['1', '2']);
    }

    /** @param list<string> $steps */
    private function trace(array $steps, ?string $inject): Trace
    {
        return Trace::of($this->world->withDurability('power'), $steps, $inject);
    }
}
