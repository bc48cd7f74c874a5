<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class WriterGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $slots = 'Spool/FileStore/Segment/SegmentWriter.php';

        return [
            new Mutation(
                'slot lock',
                $slots,
                'if (flock($segment, LOCK_EX | LOCK_NB)) {',
                'if (is_resource($segment)) {',
                'SegmentRaceTest::two_writers_never_share_a_slot',
            ),
            new Mutation(
                'path check',
                $slots,
                ' && $stat[\'nlink\'] === 1 && $status !== false && ($status[\'mode\'] & 0170000) === 0100000 &&'
                    .' $status[\'ino\'] === $stat[\'ino\'] && $status[\'dev\'] === $stat[\'dev\']',
                '',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new Mutation(
                'even size',
                $slots,
                '($size === 0 || ($size & 1) === 1 || $this->power !== null)',
                '$size === -1',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new Mutation(
                'clearstatcache',
                $slots,
                "that of a path.\n        clearstatcache();",
                'that of a path.',
                'SegmentRaceTest::a_writer_that_knew_the_path_of_a_sealed_slot_looks_again',
            ),
            new Mutation(
                'cut-back',
                'Spool/FileStore/Segment/PartialWrite.php',
                '$cut = $cut && PhpRestrictions::call(\'ftruncate\', $segment, max(0, $size)) === true;',
                '$cut = true;',
                'ShortWriteTest::a_frame_written_in_part_is_cut_off_and_leaves_no_gap',
            ),
            new Mutation(
                'full write only',
                $slots,
                'if (@fwrite($segment, $bytes) !== strlen($bytes)) {',
                'if (@fwrite($segment, $bytes) === false) {',
                'ShortWriteTest::a_frame_written_in_part_is_cut_off_and_leaves_no_gap',
            ),
            new Mutation(
                'kept slot: pid',
                $slots,
                '&& (! $this->mayFork || getmypid() === $kept->pid)',
                '',
                'OpenSegmentTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side',
            ),
            new Mutation(
                'kept slot: a second',
                $slots,
                '$now - $kept->since < self::KEEP_MICROS',
                'true',
                'OpenSegmentTest::a_kept_slot_is_given_back_after_a_second',
            ),
            new Mutation(
                'kept slot: another one next',
                $slots,
                'if ($path === $closedPath) {',
                'if ($path === \'\') {',
                'OpenSegmentTest::a_loop_that_never_rests_leaves_each_slot_free_for_a_second',
            ),
            new Mutation(
                'kept slot: clock set back',
                $slots,
                '&& $now >= $kept->since',
                '',
                'OpenSegmentTest::a_clock_that_is_set_back_does_not_keep_a_slot_for_hours',
            ),
            new Mutation(
                'kept slot: owner unlocks',
                $slots,
                'if ($this->mayFork && getmypid() === $kept->pid) {',
                'if ($kept->path === \'\') {',
                'OpenSegmentTest::a_slot_that_its_owner_gives_back_is_free_while_a_child_lives',
            ),
            new Mutation(
                'child only closes',
                $slots,
                'if ($this->mayFork && getmypid() === $kept->pid) {',
                'if ($this->mayFork) {',
                'OpenSegmentTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side',
            ),
            new Mutation(
                'kept slot: taken',
                $slots,
                "\$this->kept = null;\n\n            if (\$now",
                'if ($now',
                'OpenSegmentTest::events_after_a_broken_append_are_not_lost',
            ),
            new Mutation(
                'close on exec',
                $slots,
                "\$segment = @fopen(\$path, 'aen');\n\n            if",
                "\$segment = @fopen(\$path, 'an');\n\n            if",
                'OpenSegmentTest::a_program_that_outlives_its_writer_does_not_hold_the_slot',
            ),
        ];
    }
}
