<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * One guard of the protocol, how to remove it, and the test that must notice.
 */
final readonly class Mutation
{
    /**
     * @param string $file below src/
     * @param string $guard occurs exactly once in that file
     * @param string $test class, "::" and method, below tests/Fault
     */
    private function __construct(
        public string $name,
        public string $file,
        public string $guard,
        public string $without,
        public string $test,
    ) {}

    /** @return list<self> */
    public static function all(): array
    {
        return [...self::ofWriters(), ...self::ofSealers(), ...self::ofLocks(), ...self::ofDeliveries(), ...self::ofFiles()];
    }

    /** @return list<self> */
    private static function ofWriters(): array
    {
        $slots = 'Spool/File/Slots.php';

        return [
            new self('slot lock', $slots, 'if (flock($slot, LOCK_EX | LOCK_NB)) {', 'if (is_resource($slot)) {', 'SlotRaceTest::two_writers_never_share_a_slot'),
            new self('path check', $slots, ' && $stat[\'nlink\'] === 1 && $there !== false && ($there[\'mode\'] & 0170000) === 0100000 && $there[\'ino\'] === $stat[\'ino\'] && $there[\'dev\'] === $stat[\'dev\']', '', 'SlotRaceTest::a_writer_that_opened_a_slot_before_it_was_sealed_does_not_write_behind_the_seal'),
            new self('even size', $slots, '($size === 0 || ($size & 1) === 1)', '$size === -1', 'SlotRaceTest::a_writer_that_opened_a_slot_before_it_was_sealed_does_not_write_behind_the_seal'),
            new self('clearstatcache', $slots, "the path's is not.\n        clearstatcache();", "the path's is not.", 'SlotRaceTest::a_writer_that_knew_the_path_of_a_sealed_slot_looks_again'),
            new self('cut-back', $slots, '$cut = $cut && @ftruncate($slot, max(0, $size));', '$cut = true;', 'ShortWriteTest::a_frame_that_was_written_in_part_is_cut_back_and_the_next_append_leaves_no_gap'),
            new self('full write only', $slots, 'if (@fwrite($slot, $bytes) !== strlen($bytes)) {', 'if (@fwrite($slot, $bytes) === false) {', 'ShortWriteTest::a_frame_that_was_written_in_part_is_cut_back_and_the_next_append_leaves_no_gap'),
            new self('kept slot: pid', $slots, '&& (! $this->mayFork || getmypid() === $kept->by)', '', 'KeptSlotTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side'),
            new self('kept slot: a second', $slots, '$now - $kept->since < self::KEEP_MICROS', 'true', 'KeptSlotTest::a_kept_slot_is_given_back_after_a_second'),
            new self('kept slot: another one next', $slots, 'if ($path === $left) {', 'if ($path === \'\') {', 'KeptSlotTest::a_loop_that_never_rests_leaves_each_slot_free_for_a_second'),
            new self('kept slot: clock set back', $slots, '&& $now >= $kept->since', '', 'KeptSlotTest::a_clock_that_is_set_back_does_not_keep_a_slot_for_hours'),
            new self('kept slot: owner unlocks', $slots, 'if ($this->mayFork && getmypid() === $kept->by) {', 'if ($kept->path === \'\') {', 'KeptSlotTest::a_slot_is_free_when_its_owner_gives_it_back_though_a_child_lives_on'),
            new self('child only closes', $slots, 'if ($this->mayFork && getmypid() === $kept->by) {', 'if ($this->mayFork) {', 'KeptSlotTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side'),
            new self('kept slot: taken', $slots, "            \$this->kept = null;\n\n            if (\$now", '            if ($now', 'KeptSlotTest::what_is_buffered_after_an_append_was_broken_off_is_not_lost'),
            new self('close on exec', $slots, "\$slot = @fopen(\$path, 'aen');\n\n            if", "\$slot = @fopen(\$path, 'an');\n\n            if", 'KeptSlotTest::a_program_that_outlives_its_writer_does_not_hold_the_slot'),
        ];
    }

    /** @return list<self> */
    private static function ofSealers(): array
    {
        $sealer = 'Spool/File/Sealer.php';

        return [
            new self('seal under slot lock', $sealer, 'if ($this->lock($file)) {', 'if (is_resource($file)) {', 'SlotRaceTest::a_sealer_leaves_a_slot_that_is_being_written_for_the_next_round'),
            new self('seal is put', $sealer, 'ftruncate($file, max(0, $size) + Frame::SEAL_BYTES + 1 - $size % 2)', 'is_resource($file)', 'SlotRaceTest::a_writer_that_opened_a_slot_before_it_was_sealed_does_not_write_behind_the_seal'),
            new self('seal is put once', $sealer, 'return $this->hasSeal($file, $size) || ftruncate', 'return ftruncate', 'SlotRaceTest::a_slot_that_has_its_seal_gets_no_other'),
            new self('no seal, no rename', $sealer, 'if (! $hasSeal) {', 'if ($slot === \'\') {', 'SlotRaceTest::a_slot_that_can_not_get_its_seal_stays_a_slot'),
            new self('number noted first', $sealer, '        $this->state->write($record);'."\n        \$this->checkpoint", '        $this->checkpoint', 'SegmentsTest::a_thousand_events_in_fifty_slots_leave_in_one_transaction'),
            new self('take-back', $sealer, '$this->state->write($record->takenBack());', '', 'KilledFlusherTest::a_number_that_was_given_to_a_slot_and_never_used_is_given_again'),
        ];
    }

    /** @return list<self> */
    private static function ofLocks(): array
    {
        $lock = 'Spool/File/FlushLock.php';

        return [
            new self('flush lock', $lock, 'if (! flock($file, LOCK_EX | LOCK_NB)) {', 'if (! is_resource($file)) {', 'FlushLockTest::of_two_flushers_at_once_the_second_finds_the_bucket_busy'),
            new self('flush lock: path check', $lock, 'if ($stat === false || @fileinode($layout->flushLock) !== $stat[\'ino\']) {', 'if ($stat === false) {', 'FlushLockTest::a_flusher_does_not_take_a_lock_whose_file_was_removed_since_it_looked'),
            new self('lost lock: state', 'Spool/File/StateFile.php', "        \$this->checkLock();\n        \$generation", '        $generation', 'FlushLockTest::a_flusher_whose_lock_file_was_removed_does_not_write_its_old_state_over_the_new_one'),
            new self('lost lock: rename', 'Spool/File/Sealer.php', '$this->state->checkLock();', '', 'FlushLockTest::a_sealer_whose_lock_file_was_removed_does_not_give_a_number_twice'),
            new self('node id: read again', 'Spool/File/NodeId.php', 'if (self::isValid(trim($seen))) {', 'if ($path === \'\') {', 'NodeIdTest::two_processes_that_make_a_node_id_at_once_agree'),
        ];
    }

    /** @return list<self> */
    private static function ofDeliveries(): array
    {
        $plan = 'Spool/Flush/PlanCourier.php';
        $ledger = 'Spool/Flush/LedgerCourier.php';

        return [
            new self('compare-and-set', 'Sink/Database/Ledger.php', '->where(\'position\', $delivery->from->toString())', '', 'ZombieFlusherTest::one_that_had_begun_finds_the_ledger_moved_and_delivers_nothing'),
            new self('one transaction', 'Sink/Database/DatabaseSink.php', "\$this->checkpoint?->reached('ledger.advanced');", "\$this->checkpoint?->reached('ledger.advanced'); \$connection->commit(); \$connection->beginTransaction();", 'KilledFlusherTest::nothing_is_lost_or_doubled_and_the_next_flush_goes_on'),
            new self('plan saved first', $plan, '$this->save(new FlushState($this->state->progress, $delivery->to, $this->bucket->sinkFingerprint()));', '', 'PlanTest::a_range_that_was_planned_and_not_sent_is_sent_as_it_was_planned'),
            new self('plan kept on retry', $plan, 'return $this->state->planned;', 'return null;', 'PlanTest::a_range_that_was_sent_and_not_noted_is_sent_again_under_the_same_id'),
            new self('plan waits for its sink', $plan, '$this->state->plannedFor !== $this->bucket->sinkFingerprint()', '$this->bucket->name === \'\'', 'PlanTest::a_range_that_was_begun_waits_when_the_settings_of_its_sink_change'),
            new self('ledger forgot', $ledger, 'if (! $last->position->isStart()) {', 'if ($last->position->segment < 0) {', 'SegmentsTest::a_database_that_forgot_its_row_stops_the_bucket_and_asks'),
            new self('ledger ahead', $ledger, 'if ($isAhead && ', 'if (! $isAhead && ', 'SegmentsTest::a_ledger_ahead_of_a_log_that_began_anew_stops_the_bucket_and_asks'),
        ];
    }

    /** @return list<self> */
    private static function ofFiles(): array
    {
        $cleaner = 'Spool/File/Cleaner.php';

        return [
            new self('own offset', 'Spool/File/Scanner.php', 'if ($header[\'offset\'] !== $position || $header[\'magic\']', 'if ($header[\'magic\']', 'SegmentsTest::a_frame_that_lies_where_it_was_not_written_is_not_delivered'),
            new self('borrowed end', 'Spool/File/Scanner.php', '|| ! $this->isBorrowed($checksum, $end)', '|| $end > 0', 'ShortWriteTest::a_frame_that_lacks_bytes_and_finds_them_in_what_comes_behind_is_not_accepted_and_harms_no_other'),
            new self('borrowed end: seal', 'Spool/File/Scanner.php', 'if ($bytes + $zeros === self::sealBytes($end - $bytes)) {', 'if ($bytes > 4) {', 'ShortWriteTest::a_frame_that_lacks_bytes_and_finds_them_in_what_comes_behind_is_not_accepted_and_harms_no_other'),
            new self('torn, not damaged', 'Spool/File/Slots.php', 'Frame::MAX_PAYLOAD_BYTES, $size, 0)', '1, $size, 0)', 'ShortWriteTest::a_writer_killed_while_it_asks_for_the_reason_leaves_nothing_that_looks_damaged_or_accepted'),
            new self('regular files only', 'Spool/File/RegularFile.php', 'return ($stat[\'mode\'] & self::TYPE) === self::REGULAR;', 'return true;', 'HostileFilesTest::in_the_place_of_a_segment_it_stops_the_bucket_and_is_not_followed'),
            new self('links are not gone through', 'Spool/File/FlushLock.php', 'foreach ($layout->links() as $link) {', 'foreach ([] as $link) {', 'HostileFilesTest::a_directory_of_a_bucket_that_is_a_link_is_not_gone_through'),
            new self('second name', 'Spool/File/Sealer.php', 'if ($stat[\'nlink\'] > 1 && ', 'if ($stat[\'nlink\'] > 9 && ', 'HostileFilesTest::a_second_name_of_a_slot_s_file_delivers_nothing_twice_and_takes_no_event_behind_the_seal'),
            new self('second name: writer', 'Spool/File/Slots.php', '$stat[\'nlink\'] === 1 && ', '', 'HostileFilesTest::a_second_name_of_a_slot_s_file_delivers_nothing_twice_and_takes_no_event_behind_the_seal'),
            new self('new slot is looked at', 'Spool/File/Slots.php', '($size === 0 || ', '(', 'HostileFilesTest::a_writer_takes_the_next_slot_and_the_flush_delivers_it_and_names_the_thing'),
            new self('state: two blocks', 'Spool/File/StateFile.php', 'stream_get_contents($file, 2 * self::BLOCK)', 'stream_get_contents($file, 64_000_000)', 'HostileFilesTest::a_strange_state_file_stops_the_bucket_in_little_memory_and_is_named'),
            new self('long line', 'Spool/Codec.php', 'if (strlen($line) > self::MAX_LINE_BYTES) {', 'if ($line === \'\') {', 'HostilePayloadsTest::a_forged_frame_stops_the_bucket_in_little_memory_and_names_its_place'),
            new self('failed read stops', 'Spool/File/Scanner.php', 'throw UnableToFlush::notRead(', 'return; throw UnableToFlush::notRead(', 'DiskErrorTest::a_failed_read_is_an_error_and_no_damage'),
            new self('two records in turn', 'Spool/File/StateFile.php', '$this->overwrite($generation % 2, $block);', '$this->overwrite(1, $block);', 'StateFileTest::either_record_may_be_damaged_and_nothing_is_lost_or_doubled'),
            new self('newest is kept', $cleaner, '$sequence >= $neededFrom || ', '', 'SegmentsTest::completed_segments_are_cleaned_in_order_and_never_the_newest'),
            new self('needed again is kept', $cleaner, '$sequence >= $neededFrom || ', '', 'SegmentsTest::what_a_restored_database_wants_again_is_not_cleaned_meanwhile'),
            new self('restored cursor is noted', 'Spool/Flush/LedgerCourier.php', '        $this->log->save(new FlushState($ledger));', '', 'SegmentsTest::what_a_restored_database_refuses_for_now_is_not_cleaned_meanwhile'),
        ];
    }
}
