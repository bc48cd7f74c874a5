<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Writers against writers and writers against the sealer, each stopped where it would hurt most.
 */
final class SegmentRaceTest extends FaultTestCase
{
    #[Test]
    public function a_writer_does_not_write_behind_the_seal_of_its_slot(): void
    {
        $this->world->append(['first']);
        $late = $this->child('append', ['late'], ['slot.opened' => Act::Wait]);
        $late->awaitPoint('slot.opened');
        $this->flushTwice();
        $late->goOn();
        $late->result();

        $this->assertAccounts(accepted: 3, delivered: 2, pending: 1);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'late']);
    }

    #[Test]
    public function a_writer_that_knew_the_path_of_a_sealed_slot_looks_again(): void
    {
        $this->world->append(['first']);
        $late = $this->child('append knowing the path', ['late'], ['slot.opened#2' => Act::Wait]);
        $late->awaitPoint('slot.opened');
        $this->flushTwice();
        $late->goOn();
        $late->result();

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'late']);
    }

    #[Test]
    public function a_writer_that_opened_a_slot_takes_the_new_file_of_that_name(): void
    {
        $this->world->append(['first']);
        $late = $this->child('append', ['late'], ['slot.opened' => Act::Wait]);
        $late->awaitPoint('slot.opened');
        $this->flush();
        $this->world->append(['second']);
        $late->goOn();
        $late->result();

        self::assertCount(1, $this->slots());
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'late']);
    }

    #[Test]
    public function two_writers_never_share_a_slot(): void
    {
        $slow = $this->child('append', ['slow'], ['slot.locked' => Act::Wait]);
        $slow->awaitPoint('slot.locked');
        $this->world->append(['quick']);
        $slow->goOn();
        $slow->result();

        self::assertCount(2, $this->slots());
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['slow', 'quick']);
    }

    #[Test]
    public function a_stopped_writer_delays_only_itself(): void
    {
        $stopped = $this->child('append', ['stopped'], ['slot.locked' => Act::Stop]);
        $stopped->awaitStopped('slot.locked');
        $this->world->append(['other']);
        $this->flush();

        self::assertSame(['other'], $this->world->rows());
        $stopped->resume();
        $stopped->result();
        $this->flush();
        $this->assertDeliveredOnce(['stopped', 'other']);
    }

    #[Test]
    public function a_sealer_leaves_a_slot_that_is_being_written_for_the_next_round(): void
    {
        $this->world->append(['first']);
        $writer = $this->child('append', ['second'], ['slot.locked' => Act::Wait]);
        $writer->awaitPoint('slot.locked');

        self::assertSame(0, $this->flush()->delivered);
        $this->assertAccounts(accepted: 1, delivered: 0, pending: 1);
        $writer->goOn();
        $writer->result();
        self::assertSame(2, $this->flush()->delivered);
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_writer_that_finds_its_slot_being_sealed_takes_the_next_one(): void
    {
        $this->world->append(['first']);
        $flusher = $this->child('flush', points: ['seal.counted' => Act::Wait]);
        $flusher->awaitPoint('seal.counted');
        $this->world->append(['second']);

        self::assertCount(2, $this->slots());
        $flusher->goOn();
        self::assertNull($flusher->result()['failure']);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_writer_goes_on_in_a_slot_whose_sealer_was_killed_before_its_rename(): void
    {
        $this->world->append(['first']);

        foreach (['second', 'third'] as $id) {
            $this->killSealerBeforeRename();
            $this->world->append([$id]);
        }

        self::assertCount(1, $this->slots());
        self::assertSame([], $this->flush()->losses, 'What such a sealer leaves between two frames is no loss.');
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_slot_that_has_its_seal_gets_no_other(): void
    {
        $this->world->append(['first']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $this->killSealerBeforeRename();
        clearstatcache();
        $sealed = filesize($slot);
        $this->killSealerBeforeRename();
        clearstatcache();

        self::assertSame($sealed, filesize($slot));
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function a_slot_that_cannot_get_its_seal_stays_a_slot(): void
    {
        $this->world->append(self::ids('', 200));
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $size = (int) filesize($slot);
        self::assertGreaterThan(8192, $size, 'It has to be larger than the state file, which is written first.');
        $result = $this->child('flush with too little room', [(string) $size])->result();

        self::assertIsString($result['failure']);
        Sentence::assertIn(
            StorageUnavailable::notPermitted(Sentence::ANY, $slot, Sentence::ANY, Sentence::ANY),
            $result['failure'],
        );
        self::assertSame([basename($slot)], $this->slots());
        $this->world->append(['later']);
        $this->flush();
        $this->assertDeliveredOnce([...self::ids('', 200), 'later']);
    }

    #[Test]
    #[TestDox('PHP process killed in the middle of an append')]
    public function a_writer_killed_anywhere_leaves_its_acknowledged_events_and_no_obstacle(): void
    {
        foreach (['slot.opened', 'slot.locked'] as $point) {
            $writer = $this->child('append', ["acknowledged at {$point}", 'never'], ["{$point}#2" => Act::Kill]);
            $writer->awaitKilled();
        }

        $this->world->append(['after']);
        self::assertCount(1, $this->slots());
        $this->flush();
        $this->assertDeliveredOnce(['acknowledged at slot.opened', 'acknowledged at slot.locked', 'after']);
    }

    private function killSealerBeforeRename(): void
    {
        $this->child('flush', points: ['seal.noted' => Act::Kill])->awaitKilled();
    }

    private function flushTwice(): void
    {
        // Into a second segment, so that no flush reads the end of the first one again.
        $this->flush();
        $this->world->append(['second']);
        $this->flush();
    }
}
