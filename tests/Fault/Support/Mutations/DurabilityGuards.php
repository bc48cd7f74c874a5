<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class DurabilityGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $power = 'Spool/FileStore/Fsync/PowerSync.php';
        $sealer = 'Spool/FileStore/Segment/Sealer.php';
        $table = 'PowerCutTest::with_power_a_table_gets_each_acknowledged_event_once_whenever_the_power_goes';
        $file = 'PowerCutTest::with_power_a_file_gets_each_acknowledged_event_whenever_the_power_goes';
        $slots = 'PowerCutTest::with_power_several_slots_sealed_in_one_round_keep_their_accounts';

        return [
            new Mutation('power: frame', $power, 'if (@fdatasync($reader)) {', 'if (is_resource($reader)) {', $table),
            new Mutation('power: slot\'s entry', $power, ' ?? Sync::path($layout->active)', '', $table),
            new Mutation(
                'power: bucket\'s entry',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                '?? Sync::path(dirname($this->layout->directory)) ',
                '',
                $table,
            ),
            new Mutation(
                'power: root\'s entry',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                '@is_readable($above) ? Sync::path($above) : null',
                'null',
                $table,
            ),
            new Mutation(
                'power: node id',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                'Sync::path("{$root}/node") ?? ',
                '',
                $table,
            ),
            new Mutation(
                'power: state\'s content first',
                'Spool/FileStore/State/ChecksummedFile.php',
                '=== strlen($blocks) && $this->isOnDisk($file);',
                '=== strlen($blocks);',
                $table,
            ),
            new Mutation(
                'power: cut',
                $power,
                '$cut = @ftruncate($segment, max(0, $size));',
                '$cut = true;',
                'SyncFailureTest::an_event_that_could_not_be_put_on_disk_is_refused_and_never_delivered',
            ),
            new Mutation(
                'power: cut on disk',
                $power,
                ' && @fsync($reader)',
                '',
                'SyncFailureTest::a_cut_that_could_not_be_put_on_disk_is_told_as_such',
            ),
            new Mutation(
                'power: slot given up',
                $power,
                '$this->abandon($path);',
                '',
                'SyncFailureTest::nothing_is_written_again_to_a_slot_that_could_not_be_put_on_disk',
            ),
            new Mutation(
                'power: given up, all kept',
                $power,
                'if (! file_exists($newPath)) {',
                'if ($newPath !== \'\') {',
                'SyncFailureTest::slots_that_were_given_up_do_not_replace_each_other',
            ),
            new Mutation(
                'power: path check',
                'Spool/FileStore/Segment/SegmentWriter.php',
                ' || $this->power !== null) &&',
                ') &&',
                'SyncFailureTest::a_writer_that_opened_a_slot_before_it_was_given_up_takes_another',
            ),
            new Mutation(
                'power: kept slot',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '$this->power?->finish($kept->reader, $kept->file, $kept->path, $kept->size);',
                '',
                $table,
            ),
            new Mutation(
                'power: kept slot that was removed',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '(fstat($kept->reader)[\'nlink\'] ?? 0) > 0',
                'true',
                'OpenSegmentTest::with_power_no_event_goes_to_a_kept_slot_that_was_removed',
            ),
            new Mutation(
                'power: flag only if true',
                'Spool/FileStore/Segment/SegmentCreator.php',
                '$now, $this->power !== null);',
                '$now, true);',
                'SyncOrderTest::with_power_a_slot_that_was_begun_without_it_is_made_findable_first',
            ),
            new Mutation(
                'synced seal: data',
                $sealer,
                '$this->sync($path);',
                '',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new Mutation(
                'synced seal: rename',
                $sealer,
                "        \$this->sync(\$this->layout->sealed);\n        \$this->sync(\$this->layout->active);",
                '',
                $slots,
            ),
            new Mutation(
                'synced state',
                'Spool/FileStore/State/ChecksummedFile.php',
                'return ! $this->isSynced || PhpRestrictions::call(\'fsync\', $file) === true;',
                'return true;',
                'SyncOrderTest::with_power_a_seal_relies_on_nothing_that_is_not_on_disk',
            ),
            new Mutation(
                'synced file sink',
                'Spool/Delivery/AtLeastOnceDelivery.php',
                '$this->sink->sync();',
                '',
                $file,
            ),
            new Mutation(
                'synced cursor, then clean',
                'Spool/FileStore/Maintenance/Cleaner.php',
                '$this->isSynced && $removed === 0',
                '$removed < 0',
                'SyncOrderTest::with_power_the_cursor_is_on_disk_before_delivered_segments_are_removed',
            ),
            new Mutation(
                'interval: slots',
                'Spool/FileStore/Fsync/Syncer.php',
                '$isOnDisk = PhpRestrictions::call(\'fdatasync\', $file) === true;',
                '$isOnDisk = true;',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new Mutation(
                'interval: entries',
                'Spool/FileStore/Fsync/Syncer.php',
                '$failure = Sync::path($this->layout->active) ?? $failure;',
                '',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new Mutation(
                'interval: no lock taken for a sync that failed',
                'Spool/FileStore/Fsync/Syncer.php',
                '$isOnDisk ? null',
                '$isOnDisk || true ? null',
                'SyncFailureTest::a_round_of_the_worker_that_fails_says_so_and_counts_nothing_as_synced',
            ),
        ];
    }
}
