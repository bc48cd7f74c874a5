<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class FileGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $cleaner = 'Spool/FileStore/Maintenance/Cleaner.php';

        return [
            new Mutation(
                'own offset',
                'Spool/FileStore/Segment/SegmentReader.php',
                'if ($header[\'o\'] !== $position || $header[\'m\']',
                'if ($header[\'m\']',
                'SegmentsTest::a_frame_that_lies_where_it_was_not_written_is_not_delivered',
            ),
            new Mutation(
                'not listed is not empty',
                'Spool/FileStore/DirectoryListing.php',
                '$names === false && ! $this->mayBeHidden',
                '$names === true',
                'FailedCallTest::a_directory_that_cannot_be_listed_stops_the_bucket',
            ),
            new Mutation(
                'cut-back is proven',
                'Spool/FileStore/Segment/PartialWrite.php',
                'throw $cut && $after === $size',
                'throw $size >= 0',
                'FailedCallTest::a_part_that_cannot_be_cut_off_is_told_and_skipped_by_readers',
            ),
            new Mutation(
                'taken back, not counted twice',
                'Spool/FileStore/State/SnapshotReader.php',
                'return $record->sealUndone();',
                'return $record;',
                'KilledFlusherTest::nothing_is_lost_or_doubled_and_the_next_flush_goes_on',
            ),
            new Mutation(
                'borrowed end',
                'Spool/FileStore/Segment/SegmentReader.php',
                '|| ! $this->isBorrowed($checksum, $end)',
                '|| $end > 0',
                'ShortWriteTest::a_frame_that_lacks_bytes_is_not_completed_by_the_next_one',
            ),
            new Mutation(
                'borrowed end: seal',
                'Spool/FileStore/Segment/SegmentReader.php',
                'if ($bytes + $zeros === self::sealBytes($end - $bytes)) {',
                'if ($bytes > 4) {',
                'ShortWriteTest::a_frame_that_lacks_bytes_is_not_completed_by_the_next_one',
            ),
            new Mutation(
                'torn, not damaged',
                'Spool/FileStore/Segment/PartialWrite.php',
                'Frame::MAX_PAYLOAD_BYTES, $size, 0)',
                '1, $size, 0)',
                'ShortWriteTest::a_writer_killed_after_a_short_write_leaves_nothing_damaged_or_accepted',
            ),
            new Mutation(
                'regular files only',
                'Support/RegularFile.php',
                'return ($stat[\'mode\'] & self::TYPE) === self::REGULAR;',
                'return true;',
                'HostileFilesTest::in_the_place_of_a_segment_it_stops_the_bucket_and_is_not_followed',
            ),
            new Mutation(
                'links are not gone through',
                'Spool/FileStore/State/FlushLock.php',
                'foreach ($layout->links() as $link) {',
                'foreach ([] as $link) {',
                'HostileFilesTest::cleaning_removes_nothing_behind_a_link',
            ),
            new Mutation(
                'second name',
                'Spool/FileStore/Segment/Sealer.php',
                'if ($stat[\'nlink\'] > 1 && ',
                'if ($stat[\'nlink\'] > 9 && ',
                'HostileFilesTest::a_hard_link_to_a_slot_delivers_nothing_twice_and_hides_no_event',
            ),
            new Mutation(
                'second name: writer',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '$stat[\'nlink\'] === 1 && ',
                '',
                'HostileFilesTest::a_hard_link_to_a_slot_delivers_nothing_twice_and_hides_no_event',
            ),
            new Mutation(
                'new slot is looked at',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '($size === 0 || ',
                '(',
                'HostileFilesTest::a_writer_takes_the_next_slot_and_the_flush_names_the_thing',
            ),
            new Mutation(
                'state: two blocks',
                'Spool/FileStore/State/StateFile.php',
                'RegularFile::read($this->path, 2 * ChecksummedFile::BLOCK, $reason)',
                'RegularFile::read($this->path, 64_000_000, $reason)',
                'HostileFilesTest::a_strange_state_file_stops_the_bucket_in_little_memory_and_is_named',
            ),
            new Mutation(
                'long line',
                'Spool/Encoding/Codec.php',
                'if (strlen($line) > self::MAX_LINE_BYTES) {',
                'if ($line === \'\') {',
                'HostilePayloadsTest::a_forged_frame_dies_or_stops_the_bucket_in_little_memory',
            ),
            new Mutation(
                'failed read stops',
                'Spool/FileStore/Segment/SegmentReader.php',
                'throw StorageUnavailable::notRead(',
                'return; throw StorageUnavailable::notRead(',
                'DiskErrorTest::a_failed_read_is_an_error_and_no_damage',
            ),
            new Mutation(
                'two records in turn',
                'Spool/FileStore/State/StateFile.php',
                '$this->overwrite($generation % 2, $block);',
                '$this->overwrite(1, $block);',
                'StateFileTest::either_record_may_be_damaged_and_nothing_is_lost_or_doubled',
            ),
            new Mutation(
                'newest is kept',
                $cleaner,
                '$sequence >= $neededFrom || ',
                '',
                'SegmentsTest::completed_segments_are_cleaned_in_order_and_never_the_newest',
            ),
            new Mutation(
                'needed again is kept',
                $cleaner,
                '$sequence >= $neededFrom || ',
                '',
                'SegmentsTest::segments_that_a_restored_database_wants_again_are_not_cleaned',
            ),
            new Mutation(
                'one place per claim',
                'Spool/FileStore/FileStore.php',
                'return is_string($real) ? $real : $this->root;',
                'return $this->root;',
                'DeployTest::segments_of_the_same_names_in_the_new_release_are_not_read_instead',
            ),
            new Mutation(
                'one moment',
                'Spool/FileStore/State/SnapshotReader.php',
                '$isWhole && $after->generation() === $before->generation() && ',
                '',
                'LookingTest::segments_that_a_flush_moves_during_the_look_are_looked_at_again',
            ),
            new Mutation(
                'restored cursor is noted',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '        $this->lease->save($this->lease->state()->at($ledger, $this->lease->letters()));',
                '',
                'SegmentsTest::segments_that_a_restored_database_refuses_for_now_are_not_cleaned',
            ),
        ];
    }
}
