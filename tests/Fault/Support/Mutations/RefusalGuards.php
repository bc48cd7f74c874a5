<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class RefusalGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $counters = 'Spool/FileStore/State/CountersFile.php';

        return [
            new Mutation(
                'counters: lock',
                $counters,
                '! flock($file, LOCK_EX | LOCK_NB); $try++',
                '! is_resource($file); $try++',
                'CountersTest::a_process_stopped_while_it_counts_delays_others_two_seconds_at_most',
            ),
            new Mutation(
                'counters: in turn',
                $counters,
                '($generation + 1) % 2 * ChecksummedFile::BLOCK',
                '0',
                'CountersTest::a_record_that_was_written_in_part_leaves_the_older_one',
            ),
            new Mutation(
                'counters: path check',
                $counters,
                "if (@fileinode(\$path) !== (fstat(\$file)['ino'] ?? null)) {",
                "if (\$path === '') {",
                'CountersTest::a_count_in_a_removed_file_is_not_taken_for_counted',
            ),
            new Mutation(
                'uncertain is not written elsewhere',
                'Spool/Append/OverflowHandler.php',
                'if ($refusal->failure === AppendFailure::Uncertain) {',
                'if ($config->name === \'\') {',
                'RefusedAppendTest::an_event_that_may_be_buffered_is_not_written_elsewhere',
            ),
            new Mutation(
                'quota: each file once',
                'Spool/FileStore/Segment/DiskQuota.php',
                "\$sizes[\$status['ino']]",
                '$sizes[]',
                'LookingTest::a_slot_that_is_sealed_between_two_listings_fills_the_quota_once',
            ),
            new Mutation(
                'verify: of one moment',
                'Spool/Monitoring/Verify/Accounts.php',
                'if (! $this->snapshot->isStable) {',
                "if (\$result->bucket === '') {",
                'LookingTest::a_segment_sealed_during_the_look_is_not_called_strange',
            ),
            new Mutation(
                'quota',
                'Spool/FileStore/Segment/DiskQuota.php',
                '$used + $bytes > $quota',
                '$used < 0',
                'RefusedAppendTest::a_quota_holds_to_a_slot_for_each_writer_and_a_flush_frees_it',
            ),
        ];
    }
}
