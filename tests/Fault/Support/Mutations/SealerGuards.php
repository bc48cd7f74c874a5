<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class SealerGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $sealer = 'Spool/FileStore/Segment/Sealer.php';

        return [
            new Mutation(
                'seal under slot lock',
                $sealer,
                '$isLocked = $this->lock($file);',
                '$isLocked = is_resource($file);',
                'SegmentRaceTest::a_sealer_leaves_a_slot_that_is_being_written_for_the_next_round',
            ),
            new Mutation(
                'seal is put',
                $sealer,
                'ftruncate($file, max(0, $size) + Frame::SEAL_BYTES + 1 - $size % 2)',
                'is_resource($file)',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new Mutation(
                'a slot that came back',
                $sealer,
                '$duplicates?->cut($file, $path) === true',
                'false',
                'DuplicateSegmentsTest::events_appended_to_it_since_are_delivered_once',
            ),
            new Mutation(
                'seal is put once',
                $sealer,
                'return $this->hasSeal($file, $size) || ftruncate',
                'return ftruncate',
                'SegmentRaceTest::a_slot_that_has_its_seal_gets_no_other',
            ),
            new Mutation(
                'no seal, no rename',
                $sealer,
                'if (! $hasSeal) {',
                'if ($path === \'\') {',
                'SegmentRaceTest::a_slot_that_cannot_get_its_seal_stays_a_slot',
            ),
            new Mutation(
                'number noted first',
                $sealer,
                '        $this->state->write($record);'."\n        \$this->faultPoint",
                '        $this->faultPoint',
                'SegmentDeliveryTest::a_thousand_events_in_fifty_slots_leave_in_one_transaction',
            ),
            new Mutation(
                'take-back',
                $sealer,
                '$this->state->write($record->sealUndone());',
                '',
                'KilledFlusherTest::a_number_that_was_given_to_a_slot_and_never_used_is_given_again',
            ),
            new Mutation(
                'retired when delivered',
                'Spool/FileStore/FileLease.php',
                'return $delivered->compare($this->readTo) >= 0;',
                'return true;',
                'SegmentDeliveryTest::a_segment_stays_in_its_place_until_its_last_event_is_delivered',
            ),
            new Mutation(
                'inode is forgotten',
                'Spool/FileStore/FileLease.php',
                '$this->state->writeAmended();',
                '',
                'StateFileTest::a_flush_that_only_sealed_leaves_no_inode_that_a_later_slot_may_get',
            ),
            new Mutation(
                'last seen: a round that failed',
                'Spool/FileStore/Segment/Sealer.php',
                ' && $record->lastInode === 0 && ',
                ' && ',
                'StateCacheTest::a_failure_in_the_middle_of_a_round_loses_and_doubles_nothing',
            ),
            new Mutation(
                'last seen: who else wrote',
                'Spool/FileStore/State/StateCache.php',
                '[RegularFile::inode($path), $state->initialGeneration()]',
                '[RegularFile::inode($path), $this->seen[$path][1]]',
                'StateCacheTest::when_another_process_has_flushed_meanwhile_it_is_listed_again',
            ),
            new Mutation(
                'last seen: a round that only waited',
                'Spool/FileStore/FileLease.php',
                '$this->isSealed || $this->stateCache->isUnchanged($this->layout->stateFile, $this->state);',
                'true;',
                'StateCacheTest::a_round_that_only_waited_has_not_looked',
            ),
            new Mutation(
                'last seen: a state that was put back',
                'Spool/FileStore/Segment/Sealer.php',
                ' && ! RegularFile::exists($this->layout->completedSegment($record->sealed + 1));',
                ';',
                'StateCacheTest::a_state_file_put_back_in_place_loses_no_event',
            ),
            new Mutation(
                'last seen: which buffer',
                'Spool/FileStore/State/StateCache.php',
                '[RegularFile::inode($path), $state->initialGeneration()]',
                '[$this->seen[$path][0], $state->initialGeneration()]',
                'StateCacheTest::when_another_buffer_lies_at_the_same_path_it_is_listed_again',
            ),
        ];
    }
}
