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
     * @param string $guard occurs exactly once in that file, however its lines are wrapped
     * @param string $test class, "::" and method, below tests/Fault
     */
    private function __construct(
        public string $name,
        public string $file,
        public string $guard,
        public string $without,
        public string $test,
    ) {}

    /** @return ?string the file's code without the guard; null where the guard does not occur exactly once */
    public function removedFrom(string $source): ?string
    {
        $pattern = preg_replace_callback(
            '/(\s+)|(\S+)/',
            static fn (array $part): string => match (true) {
                ($part[2] ?? '') !== '' => preg_quote($part[2], '/'),
                str_contains($part[1], "\n") => '\s*\n\s*',
                default => '\s+',
            },
            $this->guard,
        );
        $without = $this->without;
        $changed = preg_replace_callback("/{$pattern}/", static fn (): string => $without, $source, -1, $count);

        return $count === 1 ? $changed : null;
    }

    /** @return list<self> */
    public static function all(): array
    {
        return [
            ...self::ofWriters(),
            ...self::ofSealers(),
            ...self::ofLocks(),
            ...self::ofDeliveries(),
            ...self::ofDeadLetters(),
            ...self::ofFiles(),
            ...self::ofRefusals(),
            ...self::ofFlow(),
            ...self::ofDurability(),
            ...self::ofKeptSlots(),
            ...self::ofPauses(),
            ...self::ofRedis(),
        ];
    }

    /** @return list<self> */
    private static function ofRedis(): array
    {
        $scripts = 'Spool/RedisStore/Stream/Scripts.php';

        return [
            new self(
                'redis: owner fence',
                $scripts,
                'if owner ~= ARGV[1] then',
                'if false then',
                'RedisOwnerTest::one_that_stood_still_before_its_save_trims_nothing_that_it_does_not_own',
            ),
            new self(
                'redis: release what is its own',
                $scripts,
                "if redis.call('GET', KEYS[6]) == ARGV[1] then",
                'if true then',
                'RedisOwnerTest::one_that_stood_still_before_its_save_trims_nothing_that_it_does_not_own',
            ),
            new self(
                'redis: one owner',
                $scripts,
                "ARGV[1], 'NX', 'PX'",
                "ARGV[1], 'PX'",
                'RedisOwnerTest::a_second_flusher_finds_the_bucket_busy',
            ),
            new self(
                'redis: token check',
                $scripts,
                "if token ~= '' and redis.call('SISMEMBER'",
                "if false and redis.call('SISMEMBER'",
                'RedisFallbackTest::an_append_whose_reply_was_lost_arrives_once_where_redis_had_taken_it',
            ),
            new self(
                'redis: token kept',
                $scripts,
                "redis.call('SADD', KEYS[3], token)",
                '',
                'RedisFallbackTest::an_append_that_arrives_late_does_not_double_a_drained_event',
            ),
            new self(
                'redis: token on disk',
                'Spool/RedisStore/RedisWriter.php',
                "\$e->mayHaveRun ? \$token : ''",
                "''",
                'RedisFallbackTest::an_append_whose_reply_was_lost_arrives_once_where_redis_had_taken_it',
            ),
            new self(
                'redis: doubt',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                'if ($isDoubtful) {',
                'if (false) {',
                'RedisFallbackTest::one_that_redis_can_know_nothing_of_any_more_becomes_a_letter',
            ),
            new self(
                'redis: forgotten by Redis',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten = $entry->end->compare($this->forgotten) <= 0;',
                '$isForgotten = false;',
                'RedisFallbackTest::events_that_redis_took_from_disk_and_forgot_do_not_come_again',
            ),
            new self(
                'redis: forgotten disk',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten || $isOfForgottenNode ||',
                '$isForgotten ||',
                'RedisForgottenNodeTest::a_forgotten_disk_that_redis_had_drained_doubles_nothing',
            ),
            new self(
                'redis: disk says first that Redis may have it',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$this->register($lease);',
                '',
                'RedisForgottenNodeTest::a_forgotten_disk_that_redis_had_drained_doubles_nothing',
            ),
            new self(
                'redis: Redis knows the disk first',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$this->cursor->moveTo($to, $lease->source()->node, Scripts::DRAIN, []);',
                '',
                'RedisForgottenNodeTest::forgetting_one_disk_leaves_another_out_of_doubt',
            ),
            new self(
                'redis: flushed from disk meanwhile',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten = $isOfRedis && $taken',
                '$isForgotten = $taken',
                'RedisFallbackTest::events_delivered_from_disk_between_two_times_in_redis_arrive_once',
            ),
            new self(
                'redis: shared rate',
                'Spool/Delivery/BucketFlush.php',
                '$lease instanceof Replicated)',
                'false)',
                'RedisOwnerTest::a_rate_holds_for_machines_whose_boots_and_clocks_differ',
            ),
            new self(
                'redis: cursor of the disk',
                $scripts,
                'if cursor ~= false and cursor ~= ARGV[3] then',
                'if false then',
                'RedisFallbackTest::two_that_bring_the_same_disk_back_do_it_once',
            ),
            new self(
                'redis: disk waits, Redis delivers',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                "\$e->kind === '' ? throw",
                'true ? throw',
                'RedisFallbackTest::events_that_redis_has_no_memory_for_go_to_disk_and_delivery_continues',
            ),
            new self(
                'redis: owning at maxmemory',
                $scripts,
                "redis.call('HDEL', KEYS[2], '-')\n",
                '',
                'RedisFallbackTest::events_that_redis_has_no_memory_for_go_to_disk_and_delivery_continues',
            ),
            new self(
                'redis: it answers again',
                'Spool/RedisStore/Client/CircuitBreakerFile.php',
                '@unlink($this->path);',
                '',
                'RedisFallbackTest::events_that_redis_could_not_take_wait_on_disk_and_return_in_order',
            ),
            new self(
                'redis: disk waits for replicas',
                'Spool/RedisStore/Fallback/DrainCursor.php',
                '$confirmed < $this->wait',
                'false',
                'RedisFailoverTest::with_wait_the_disk_forgets_nothing_that_only_the_server_has_that_dies_next',
            ),
            new self(
                'redis: trim behind the cursor',
                $scripts,
                "redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[4])",
                "redis.call('XTRIM', KEYS[1], 'MAXLEN', 0)",
                'RedisOwnerTest::undelivered_entries_are_never_trimmed',
            ),
            new self(
                'redis: least id',
                $scripts,
                'if meta[1] and (ms <',
                'if false and (ms <',
                'RedisOwnerTest::a_new_event_never_gets_a_place_that_counts_as_delivered',
            ),
            new self(
                'redis: a foreign entry goes as its letter comes',
                $scripts,
                "if redis.call('XDEL', KEYS[1], ARGV[3]) == 0 then return 0 end",
                '',
                'RedisForeignEntryTest::a_flusher_that_is_killed_after_it_was_set_aside_leaves_one_letter',
            ),
            new self(
                'redis: events as many as it says',
                'Spool/RedisStore/Stream/StreamEntry.php',
                'substr_count($payload, "\\n") === $count - 1',
                '$count > 0',
                'RedisForeignEntryTest::it_becomes_a_dead_letter_in_the_middle_and_at_the_end',
            ),
            ...self::ofRedisIds($scripts),
            new self(
                'redis: replicas first',
                'Spool/RedisStore/RedisLease.php',
                '$confirmed < $replication->replicas',
                'false',
                'RedisFailoverTest::nothing_is_handed_over_that_the_replica_does_not_have',
            ),
            new self(
                'redis: maybe delivered',
                'Spool/RedisStore/RedisLease.php',
                '$this->letters->add($letter);',
                '',
                'RedisSetBackTest::an_event_that_a_slow_clock_puts_before_the_ledgers_place_becomes_a_letter',
            ),
            new self(
                'redis: what a server found',
                $scripts,
                'if meta[1] or (meta[2] and meta[2] ~= server) then',
                'if false then',
                'RedisFailoverTest::delivered_events_that_redis_forgot_do_not_come_again_and_new_ones_do',
            ),
            new self(
                'redis: what is gone is told',
                'Spool/Delivery/BucketFlush.php',
                '$this->lease instanceof CanLoseTail ?',
                'false ?',
                'RedisSetBackTest::every_command_ends_with_1_before_the_flush_which_tells_what_is_gone',
            ),
            new self(
                'redis: an id of its own',
                'Spool/Recovery/NodeIdReplacement.php',
                '$redis === null ? $sink?->progress',
                'true ? $sink?->progress',
                'RedisForkTest::a_copied_disk_is_told_by_every_command_until_it_has_another_id',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofRedisIds(string $scripts): array
    {
        $ids = 'RedisIdsTest::';
        $edge = "{$ids}at_the_edge_of_clock_ids_all_events_are_delivered_once";
        $last = "{$ids}the_greatest_id_of_all_can_end_a_read";

        return [
            new self(
                'redis: no place behind all clocks',
                $scripts,
                'if not has_put and exceeds_clock(last, meta[1]) then',
                'if false then',
                'RedisForeignEntryTest::an_id_of_no_clock_sends_events_to_disk_until_a_flush',
            ),
            new self(
                'redis: a stream with events is kept',
                $scripts,
                "if redis.call('XLEN', KEYS[1]) > 0 then\n",
                "if false then\n                    ",
                "{$ids}until_all_that_waits_is_delivered_none_of_it_is_touched",
            ),
            new self(
                'redis: an empty stream begins again',
                $scripts,
                "redis.call('DEL', KEYS[1])\n",
                "\n                    ",
                "{$ids}an_entry_that_was_removed_by_hand_is_not_noticed_where_no_event_waits",
            ),
            new self(
                'redis: behind the greatest id of all',
                $scripts,
                "last ~= '18446744073709551615-18446744073709551615'",
                "last ~= ''",
                "{$ids}an_entry_that_was_removed_by_hand_is_not_noticed_where_no_event_waits",
            ),
            new self(
                'redis: what is refused leaves nothing',
                $scripts,
                "if type(id) == 'string' then redis.call('XDEL', KEYS[1], id) end",
                '',
                "{$ids}until_all_that_waits_is_delivered_none_of_it_is_touched",
            ),
            new self('redis: a long sequence is of no clock', $scripts, '#seq > MAX_DIGITS or ', '', $edge),
            new self(
                'redis: those of one step',
                $scripts,
                'has_put = true',
                'has_put = false',
                "{$ids}at_the_edge_a_disk_is_drained_as_a_whole_or_not_at_all",
            ),
            new self(
                'redis: behind the ledger is of a clock',
                $scripts,
                ' and tonumber(ms) > tonumber(floor or 0)',
                '',
                $edge,
            ),
            new self(
                'redis: a least id that can be counted on from',
                'Spool/RedisStore/Stream/StreamId.php',
                '$sequence > self::MAX_SEQUENCE ?',
                'false ?',
                $edge,
            ),
            new self(
                'redis: tokens by the clock',
                $scripts,
                "'tokens_since', meta[3] or millis, 'tokens_at', millis)",
                "'tokens_since', meta[3] or millis, 'tokens_at', ms)",
                "{$ids}the_clock_and_not_the_ids_says_since_when_appends_are_known",
            ),
            new self(
                'redis: nothing is read behind the last',
                'Spool/RedisStore/Stream/StreamReader.php',
                'while ($start !== "({$last}") {',
                'while (true) {',
                $last,
            ),
            new self('redis: nothing is read at once behind the last', $scripts, 'got[4][1] == ARGV[4] or ', '', $last),
            new self('redis: nothing is counted behind the last', $scripts, ' or got[4][1] == ARGV[2]', '', $last),
        ];
    }

    /** @return list<self> */
    private static function ofWriters(): array
    {
        $slots = 'Spool/FileStore/Segment/SegmentWriter.php';

        return [
            new self(
                'slot lock',
                $slots,
                'if (flock($segment, LOCK_EX | LOCK_NB)) {',
                'if (is_resource($segment)) {',
                'SegmentRaceTest::two_writers_never_share_a_slot',
            ),
            new self(
                'path check',
                $slots,
                ' && $stat[\'nlink\'] === 1 && $status !== false && ($status[\'mode\'] & 0170000) === 0100000 &&'
                    .' $status[\'ino\'] === $stat[\'ino\'] && $status[\'dev\'] === $stat[\'dev\']',
                '',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new self(
                'even size',
                $slots,
                '($size === 0 || ($size & 1) === 1 || $this->power !== null)',
                '$size === -1',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new self(
                'clearstatcache',
                $slots,
                "that of a path.\n        clearstatcache();",
                'that of a path.',
                'SegmentRaceTest::a_writer_that_knew_the_path_of_a_sealed_slot_looks_again',
            ),
            new self(
                'cut-back',
                'Spool/FileStore/Segment/PartialWrite.php',
                '$cut = $cut && PhpRestrictions::call(\'ftruncate\', $segment, max(0, $size)) === true;',
                '$cut = true;',
                'ShortWriteTest::a_frame_written_in_part_is_cut_off_and_leaves_no_gap',
            ),
            new self(
                'full write only',
                $slots,
                'if (@fwrite($segment, $bytes) !== strlen($bytes)) {',
                'if (@fwrite($segment, $bytes) === false) {',
                'ShortWriteTest::a_frame_written_in_part_is_cut_off_and_leaves_no_gap',
            ),
            new self(
                'kept slot: pid',
                $slots,
                '&& (! $this->mayFork || getmypid() === $kept->pid)',
                '',
                'OpenSegmentTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side',
            ),
            new self(
                'kept slot: a second',
                $slots,
                '$now - $kept->since < self::KEEP_MICROS',
                'true',
                'OpenSegmentTest::a_kept_slot_is_given_back_after_a_second',
            ),
            new self(
                'kept slot: another one next',
                $slots,
                'if ($path === $closedPath) {',
                'if ($path === \'\') {',
                'OpenSegmentTest::a_loop_that_never_rests_leaves_each_slot_free_for_a_second',
            ),
            new self(
                'kept slot: clock set back',
                $slots,
                '&& $now >= $kept->since',
                '',
                'OpenSegmentTest::a_clock_that_is_set_back_does_not_keep_a_slot_for_hours',
            ),
            new self(
                'kept slot: owner unlocks',
                $slots,
                'if ($this->mayFork && getmypid() === $kept->pid) {',
                'if ($kept->path === \'\') {',
                'OpenSegmentTest::a_slot_that_its_owner_gives_back_is_free_while_a_child_lives',
            ),
            new self(
                'child only closes',
                $slots,
                'if ($this->mayFork && getmypid() === $kept->pid) {',
                'if ($this->mayFork) {',
                'OpenSegmentTest::a_fork_that_holds_a_slot_loses_nothing_on_either_side',
            ),
            new self(
                'kept slot: taken',
                $slots,
                "\$this->kept = null;\n\n            if (\$now",
                'if ($now',
                'OpenSegmentTest::events_after_a_broken_append_are_not_lost',
            ),
            new self(
                'close on exec',
                $slots,
                "\$segment = @fopen(\$path, 'aen');\n\n            if",
                "\$segment = @fopen(\$path, 'an');\n\n            if",
                'OpenSegmentTest::a_program_that_outlives_its_writer_does_not_hold_the_slot',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofKeptSlots(): array
    {
        $slots = 'Spool/FileStore/Segment/SegmentWriter.php';

        return [
            new self(
                'kept slot: seen by others',
                $slots,
                'self::$allKept?->closeExpired($now, self::KEEP_MICROS);',
                '',
                'OpenSegmentsTest::a_slot_is_given_back_after_a_second_of_writes_to_another_bucket',
            ),
            new self(
                'kept slot: free for a second',
                $slots,
                '$kept->path ?? $this->closedPath',
                '$kept->path ?? null',
                'OpenSegmentsTest::two_buckets_in_a_busy_loop_leave_each_slot_free_for_a_second',
            ),
            new self(
                'exception keeps no slot',
                $slots,
                '$this->abandon($segment);',
                '',
                'OpenSegmentsTest::a_kept_exception_does_not_keep_the_slot',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofPauses(): array
    {
        $flusher = 'Spool/Delivery/Flusher.php';

        return [
            new self(
                'pause before the claim',
                $flusher,
                '$report->paused = $this->store->isPaused($bucket);',
                '',
                'PauseTest::a_paused_bucket_s_database_is_left_alone',
            ),
            new self(
                'pause between batches',
                'Spool/Delivery/BucketFlush.php',
                '$this->report->paused = ($this->isPaused)();',
                '',
                'PauseTest::a_running_flush_stops_after_its_batch_and_resuming_delivers_the_rest_once',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofSealers(): array
    {
        $sealer = 'Spool/FileStore/Segment/Sealer.php';

        return [
            new self(
                'seal under slot lock',
                $sealer,
                '$isLocked = $this->lock($file);',
                '$isLocked = is_resource($file);',
                'SegmentRaceTest::a_sealer_leaves_a_slot_that_is_being_written_for_the_next_round',
            ),
            new self(
                'seal is put',
                $sealer,
                'ftruncate($file, max(0, $size) + Frame::SEAL_BYTES + 1 - $size % 2)',
                'is_resource($file)',
                'SegmentRaceTest::a_writer_does_not_write_behind_the_seal_of_its_slot',
            ),
            new self(
                'a slot that came back',
                $sealer,
                '$duplicates?->cut($file, $path) === true',
                'false',
                'DuplicateSegmentsTest::events_appended_to_it_since_are_delivered_once',
            ),
            new self(
                'seal is put once',
                $sealer,
                'return $this->hasSeal($file, $size) || ftruncate',
                'return ftruncate',
                'SegmentRaceTest::a_slot_that_has_its_seal_gets_no_other',
            ),
            new self(
                'no seal, no rename',
                $sealer,
                'if (! $hasSeal) {',
                'if ($path === \'\') {',
                'SegmentRaceTest::a_slot_that_cannot_get_its_seal_stays_a_slot',
            ),
            new self(
                'number noted first',
                $sealer,
                '        $this->state->write($record);'."\n        \$this->faultPoint",
                '        $this->faultPoint',
                'SegmentsTest::a_thousand_events_in_fifty_slots_leave_in_one_transaction',
            ),
            new self(
                'take-back',
                $sealer,
                '$this->state->write($record->sealUndone());',
                '',
                'KilledFlusherTest::a_number_that_was_given_to_a_slot_and_never_used_is_given_again',
            ),
            new self(
                'retired when delivered',
                'Spool/FileStore/FileLease.php',
                'return $delivered->compare($this->readTo) >= 0;',
                'return true;',
                'SegmentsTest::a_segment_stays_in_its_place_until_its_last_event_is_delivered',
            ),
            new self(
                'inode is forgotten',
                'Spool/FileStore/FileLease.php',
                '$this->state->writeAmended();',
                '',
                'StateFileTest::a_flush_that_only_sealed_leaves_no_inode_that_a_later_slot_may_get',
            ),
            new self(
                'last seen: a round that failed',
                'Spool/FileStore/Segment/Sealer.php',
                ' && $record->lastInode === 0 && ',
                ' && ',
                'StateCacheTest::a_failure_in_the_middle_of_a_round_loses_and_doubles_nothing',
            ),
            new self(
                'last seen: who else wrote',
                'Spool/FileStore/State/StateCache.php',
                '[RegularFile::inode($path), $state->initialGeneration()]',
                '[RegularFile::inode($path), $this->seen[$path][1]]',
                'StateCacheTest::when_another_process_has_flushed_meanwhile_it_is_listed_again',
            ),
            new self(
                'last seen: a round that only waited',
                'Spool/FileStore/FileLease.php',
                '$this->isSealed || $this->stateCache->isUnchanged($this->layout->stateFile, $this->state);',
                'true;',
                'StateCacheTest::a_round_that_only_waited_has_not_looked',
            ),
            new self(
                'last seen: a state that was put back',
                'Spool/FileStore/Segment/Sealer.php',
                ' && ! RegularFile::exists($this->layout->completedSegment($record->sealed + 1));',
                ';',
                'StateCacheTest::a_state_file_put_back_in_place_loses_no_event',
            ),
            new self(
                'last seen: which buffer',
                'Spool/FileStore/State/StateCache.php',
                '[RegularFile::inode($path), $state->initialGeneration()]',
                '[$this->seen[$path][0], $state->initialGeneration()]',
                'StateCacheTest::when_another_buffer_lies_at_the_same_path_it_is_listed_again',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofLocks(): array
    {
        $lock = 'Spool/FileStore/State/FlushLock.php';

        return [
            new self(
                'flush lock',
                $lock,
                '! flock($file, LOCK_EX | LOCK_NB); $try++',
                '! is_resource($file); $try++',
                'FlushLockTest::of_two_flushers_at_once_the_second_finds_the_bucket_busy',
            ),
            new self(
                'flush lock: path check',
                $lock,
                'if ($stat === false || @fileinode($layout->flushLock) !== $stat[\'ino\']) {',
                'if ($stat === false) {',
                'FlushLockTest::a_flusher_does_not_take_a_lock_whose_file_was_removed_since_it_looked',
            ),
            new self(
                'lost lock: state',
                'Spool/FileStore/State/StateFile.php',
                "        \$this->checkLock();\n        \$generation",
                '        $generation',
                'FlushLockTest::a_flusher_that_lost_its_lock_file_does_not_overwrite_the_new_state',
            ),
            new self(
                'lost lock: rename',
                'Spool/FileStore/Segment/Sealer.php',
                '$this->state->checkLock();',
                '',
                'FlushLockTest::a_sealer_whose_lock_file_was_removed_does_not_give_a_number_twice',
            ),
            new self(
                'node id: read again',
                'Spool/FileStore/State/NodeId.php',
                'if ($id !== false && self::isValid($id)) {',
                'if ($id === \'-\') {',
                'NodeIdTest::two_processes_that_make_a_node_id_at_once_agree',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofDeliveries(): array
    {
        $plan = 'Spool/Delivery/AtLeastOnceDelivery.php';
        $ledger = 'Spool/Delivery/ExactlyOnceDelivery.php';

        return [
            new self(
                'compare-and-set',
                'Sink/Database/Ledger.php',
                'and bucket = ? and position = ?',
                'and bucket = ? and position >= ?',
                'ZombieFlusherTest::one_that_had_begun_finds_the_ledger_moved_and_delivers_nothing',
            ),
            new self(
                'one transaction',
                'Sink/Database/DatabaseSink.php',
                "\$this->faultPoint?->reached('ledger.advanced');",
                "\$this->faultPoint?->reached('ledger.advanced'); \$connection->commit();"
                    .' $connection->beginTransaction();',
                'KilledFlusherTest::nothing_is_lost_or_doubled_and_the_next_flush_goes_on',
            ),
            new self(
                'plan saved first',
                $plan,
                '$this->lease->save($this->planning($this->lease->state(), $delivery));',
                '',
                'AtLeastOnceDeliveryTest::a_range_that_was_planned_and_not_sent_is_sent_as_it_was_planned',
            ),
            new self(
                'plan kept on retry',
                $plan,
                'return $this->lease->state()->intent->to;',
                'return null;',
                'AtLeastOnceDeliveryTest::a_sent_range_that_was_not_noted_comes_again_under_its_id',
            ),
            new self(
                'plan waits for its sink',
                $plan,
                '$state->intent->for !== $this->bucket->sinkFingerprint()',
                '$this->bucket->name === \'\'',
                'AtLeastOnceDeliveryTest::a_range_that_was_begun_waits_when_the_settings_of_its_sink_change',
            ),
            new self(
                'ledger forgot',
                $ledger,
                'if (! $last->position->isStart()) {',
                'if ($last->position->segment < 0) {',
                'ReplayTest::another_database_asks_and_gets_only_new_events',
            ),
            new self(
                'log began again',
                $ledger,
                ' || ! $this->lease->state()->isNew',
                ' || true',
                'SegmentsTest::a_new_log_of_the_same_size_is_not_taken_for_the_old_one',
            ),
            new self(
                'ledger ahead',
                $ledger,
                '$ledger->position->compare($last->position) > 0 && (',
                '$ledger->position->compare($last->position) < 0 && (',
                'SegmentsTest::a_ledger_ahead_of_a_new_log_stops_the_bucket',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofDeadLetters(): array
    {
        $run = 'Spool/Delivery/DeliveryRun.php';
        $box = 'Spool/FileStore/DeadLetters/DeadLetterDirectory.php';

        return [
            new self(
                'only the past speaks',
                $run,
                'isOfNow: $isMany',
                'isOfNow: false',
                'SinkAtFaultTest::what_only_older_events_speak_for_holds_its_bucket_behind_a_thousand',
            ),
            new self(
                'letters that went with a disk',
                'Spool/Delivery/BucketFlush.php',
                'if ($gone > 0) {',
                'if ($gone > 1_000) {',
                'LostDeadLettersTest::letters_that_went_with_a_disk_are_told_with_their_number',
            ),
            new self(
                'letters that are here',
                'Spool/Delivery/BucketFlush.php',
                '$known->dead - $there;',
                '$known->dead;',
                'LostDeadLettersTest::letters_that_are_here_are_not_missed_behind_a_crash',
            ),
            new self(
                'a fork is no crash',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$isForked = ForkDetector::hasDiverged(',
                '$isForked = false && ForkDetector::hasDiverged(',
                'ForkTest::an_event_of_equal_length_behind_a_restored_copy_is_not_taken_for_delivered',
            ),
            new self(
                'letter before the step',
                $run,
                "        \$this->writeLetters();\n        \$this->send(\$this",
                '        $this->send($this',
                'DeadLetterTest::a_bad_row_among_good_ones_dies_alone',
            ),
            new self(
                'letter before the last step',
                $run,
                "        \$this->writeLetters();\n        [",
                '        [',
                'DeadLetterTest::a_bad_row_among_good_ones_dies_alone',
            ),
            new self(
                'whole sink refuses',
                $run,
                '$this->probe === null && $inRow >= self::MAX_REFUSALS_IN_A_ROW',
                'false',
                'PartialBatchFailureTest::batches_of_which_nothing_arrives_count_as_refusals_and_none_dies_of_them',
            ),
            new self(
                'refusals are counted on disk',
                $run,
                '$this->lease->state()->refusedInRow + ',
                '',
                'PartialBatchFailureTest::a_sink_that_refuses_everything_is_noticed_over_many_small_flushes',
            ),
            new self(
                'what is refused dies only once another is taken',
                $run,
                '$this->newRefusals > 0 && ! $this->options->buryAll',
                'false',
                'DeadLetterTest::a_bucket_that_never_took_anything_buries_nothing_over_many_small_flushes',
            ),
            new self(
                'letter ahead is void',
                $box,
                'str_ends_with($name, self::LETTER) && ! file_exists(',
                '$name === \'\' && ! file_exists(',
                'DeadLetterTest::a_letter_is_void_when_the_sink_takes_its_event_after_all',
            ),
            new self(
                'last copy is kept',
                $box,
                ' && $this->isInLog((int) substr($position, 0, 20))',
                '',
                'RedriveTest::a_letter_whose_segment_is_cleaned_outlives_a_restored_database',
            ),
            new self(
                'refused again is no news',
                $run,
                '! $event->isNewRefusal',
                '$event->reason === null',
                'RedriveTest::letters_refused_again_tell_nothing_of_a_sink_that_cannot_be_tried',
            ),
            new self(
                'plan without the dead',
                $box,
                '$isResent || str_ends_with($name, self::TOMBSTONE)',
                'str_ends_with($name, self::TOMBSTONE)',
                'DeadLetterTest::a_plan_with_dead_letters_is_sent_again_without_them',
            ),
            new self(
                'stone',
                $box,
                '$isResent || str_ends_with($name, self::TOMBSTONE)',
                '$isResent',
                'RedriveTest::a_restored_database_gets_back_what_it_lost_and_no_letter_twice',
            ),
            new self(
                'letter goes with its seal',
                'Spool/FileStore/Segment/Sealer.php',
                "\$this->sync(\$this->layout->active);\n        \$this->removeRetriedLetters();",
                '$this->sync($this->layout->active);',
                'RedriveTest::a_letter_that_is_retried_arrives_once_and_keeps_its_id',
            ),
            new self(
                'letter goes after a crash',
                'Spool/FileStore/Segment/Sealer.php',
                "\$this->reconcile();\n        \$this->removeRetriedLetters();",
                '$this->reconcile();',
                'RedriveTest::a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once',
            ),
            new self(
                'retry: take-back',
                'Spool/Store/StateRecord.php',
                '$wasRetry = $this->retrySegment === $this->sealed;',
                '$wasRetry = false;',
                'RedriveTest::a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once',
            ),
            new self(
                'failure noted',
                'Spool/Delivery/Flusher.php',
                '$lease->save($state->failed($retry, $inFlight));',
                '',
                'RetryStateTest::failures_are_counted_over_processes',
            ),
            new self(
                'ended in the middle',
                'Spool/Delivery/Flusher.php',
                'if (! $state->intent->isUnderWay) {',
                'if (true) {',
                'RetryStateTest::a_process_that_ended_in_a_sink_is_told_by_the_next_one',
            ),
            new self(
                'time of next try',
                'Spool/Delivery/Flusher.php',
                'if ($before !== null && ! $limits->now && ',
                'if ($before === null && ',
                'RetryStateTest::a_flush_before_the_noted_time_tries_nothing_and_makes_no_segment',
            ),
            new self(
                'next try: clock set back',
                'Spool/Delivery/Backoff.php',
                ' && $retry->nextTry - $now <= $retry->retryAfter * 1_000_000 + self::MAX_MICROS',
                '',
                'RetryStateTest::clock_jump',
            ),
            new self(
                'replay asks',
                'Spool/Recovery/Replay.php',
                '($twice + $unknown === 0 || $again)',
                '$twice >= 0',
                'ReplayTest::a_second_arrival_has_to_be_asked_for_and_is_counted_apart',
            ),
            new self(
                'replay asks about what was begun',
                'Spool/Recovery/Replay.php',
                '$twice + $unknown === 0',
                '$twice === 0',
                'ReplayTest::a_begun_range_has_to_be_asked_for_as_well',
            ),
            new self(
                'replay skips nothing',
                'Spool/Recovery/Replay.php',
                '$target->position->compare($ledger->position) > 0',
                '$again && $target->position->compare($ledger->position) > 0',
                'ReplayTest::undelivered_events_are_never_passed_over',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofFiles(): array
    {
        $cleaner = 'Spool/FileStore/Maintenance/Cleaner.php';

        return [
            new self(
                'own offset',
                'Spool/FileStore/Segment/SegmentReader.php',
                'if ($header[\'o\'] !== $position || $header[\'m\']',
                'if ($header[\'m\']',
                'SegmentsTest::a_frame_that_lies_where_it_was_not_written_is_not_delivered',
            ),
            new self(
                'not listed is not empty',
                'Spool/FileStore/DirectoryListing.php',
                '$names === false && ! $this->mayBeHidden',
                '$names === true',
                'FailedCallTest::a_directory_that_cannot_be_listed_stops_the_bucket',
            ),
            new self(
                'cut-back is proven',
                'Spool/FileStore/Segment/PartialWrite.php',
                'throw $cut && $after === $size',
                'throw $size >= 0',
                'FailedCallTest::a_part_that_cannot_be_cut_off_is_told_and_skipped_by_readers',
            ),
            new self(
                'taken back, not counted twice',
                'Spool/FileStore/State/SnapshotReader.php',
                'return $record->sealUndone();',
                'return $record;',
                'KilledFlusherTest::nothing_is_lost_or_doubled_and_the_next_flush_goes_on',
            ),
            new self(
                'borrowed end',
                'Spool/FileStore/Segment/SegmentReader.php',
                '|| ! $this->isBorrowed($checksum, $end)',
                '|| $end > 0',
                'ShortWriteTest::a_frame_that_lacks_bytes_is_not_completed_by_the_next_one',
            ),
            new self(
                'borrowed end: seal',
                'Spool/FileStore/Segment/SegmentReader.php',
                'if ($bytes + $zeros === self::sealBytes($end - $bytes)) {',
                'if ($bytes > 4) {',
                'ShortWriteTest::a_frame_that_lacks_bytes_is_not_completed_by_the_next_one',
            ),
            new self(
                'torn, not damaged',
                'Spool/FileStore/Segment/PartialWrite.php',
                'Frame::MAX_PAYLOAD_BYTES, $size, 0)',
                '1, $size, 0)',
                'ShortWriteTest::a_writer_killed_after_a_short_write_leaves_nothing_damaged_or_accepted',
            ),
            new self(
                'regular files only',
                'Support/RegularFile.php',
                'return ($stat[\'mode\'] & self::TYPE) === self::REGULAR;',
                'return true;',
                'HostileFilesTest::in_the_place_of_a_segment_it_stops_the_bucket_and_is_not_followed',
            ),
            new self(
                'links are not gone through',
                'Spool/FileStore/State/FlushLock.php',
                'foreach ($layout->links() as $link) {',
                'foreach ([] as $link) {',
                'HostileFilesTest::cleaning_removes_nothing_behind_a_link',
            ),
            new self(
                'second name',
                'Spool/FileStore/Segment/Sealer.php',
                'if ($stat[\'nlink\'] > 1 && ',
                'if ($stat[\'nlink\'] > 9 && ',
                'HostileFilesTest::a_hard_link_to_a_slot_delivers_nothing_twice_and_hides_no_event',
            ),
            new self(
                'second name: writer',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '$stat[\'nlink\'] === 1 && ',
                '',
                'HostileFilesTest::a_hard_link_to_a_slot_delivers_nothing_twice_and_hides_no_event',
            ),
            new self(
                'new slot is looked at',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '($size === 0 || ',
                '(',
                'HostileFilesTest::a_writer_takes_the_next_slot_and_the_flush_names_the_thing',
            ),
            new self(
                'state: two blocks',
                'Spool/FileStore/State/StateFile.php',
                'RegularFile::read($this->path, 2 * ChecksummedFile::BLOCK, $reason)',
                'RegularFile::read($this->path, 64_000_000, $reason)',
                'HostileFilesTest::a_strange_state_file_stops_the_bucket_in_little_memory_and_is_named',
            ),
            new self(
                'long line',
                'Spool/Encoding/Codec.php',
                'if (strlen($line) > self::MAX_LINE_BYTES) {',
                'if ($line === \'\') {',
                'HostilePayloadsTest::a_forged_frame_dies_or_stops_the_bucket_in_little_memory',
            ),
            new self(
                'failed read stops',
                'Spool/FileStore/Segment/SegmentReader.php',
                'throw StorageUnavailable::notRead(',
                'return; throw StorageUnavailable::notRead(',
                'DiskErrorTest::a_failed_read_is_an_error_and_no_damage',
            ),
            new self(
                'two records in turn',
                'Spool/FileStore/State/StateFile.php',
                '$this->overwrite($generation % 2, $block);',
                '$this->overwrite(1, $block);',
                'StateFileTest::either_record_may_be_damaged_and_nothing_is_lost_or_doubled',
            ),
            new self(
                'newest is kept',
                $cleaner,
                '$sequence >= $neededFrom || ',
                '',
                'SegmentsTest::completed_segments_are_cleaned_in_order_and_never_the_newest',
            ),
            new self(
                'needed again is kept',
                $cleaner,
                '$sequence >= $neededFrom || ',
                '',
                'SegmentsTest::segments_that_a_restored_database_wants_again_are_not_cleaned',
            ),
            new self(
                'one place per claim',
                'Spool/FileStore/FileStore.php',
                'return is_string($real) ? $real : $this->root;',
                'return $this->root;',
                'DeployTest::segments_of_the_same_names_in_the_new_release_are_not_read_instead',
            ),
            new self(
                'one moment',
                'Spool/FileStore/State/SnapshotReader.php',
                '$isWhole && $after->generation() === $before->generation() && ',
                '',
                'LookingTest::segments_that_a_flush_moves_during_the_look_are_looked_at_again',
            ),
            new self(
                'restored cursor is noted',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '        $this->lease->save($this->lease->state()->at($ledger));',
                '',
                'SegmentsTest::segments_that_a_restored_database_refuses_for_now_are_not_cleaned',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofRefusals(): array
    {
        $counters = 'Spool/FileStore/State/CountersFile.php';

        return [
            new self(
                'counters: lock',
                $counters,
                '! flock($file, LOCK_EX | LOCK_NB); $try++',
                '! is_resource($file); $try++',
                'CountersTest::many_processes_count_at_once_and_none_is_lost',
            ),
            new self(
                'counters: in turn',
                $counters,
                '($generation + 1) % 2 * ChecksummedFile::BLOCK',
                '0',
                'CountersTest::a_record_that_was_written_in_part_leaves_the_older_one',
            ),
            new self(
                'counters: path check',
                $counters,
                "if (@fileinode(\$path) !== (fstat(\$file)['ino'] ?? null)) {",
                "if (\$path === '') {",
                'CountersTest::a_count_in_a_removed_file_is_not_taken_for_counted',
            ),
            new self(
                'uncertain is not written elsewhere',
                'Spool/Append/OverflowHandler.php',
                'if ($refusal->failure === AppendFailure::Uncertain) {',
                'if ($config->name === \'\') {',
                'RefusedAppendTest::an_event_that_may_be_buffered_is_not_written_elsewhere',
            ),
            new self(
                'quota: each file once',
                'Spool/FileStore/Segment/DiskQuota.php',
                "\$sizes[\$status['ino']]",
                '$sizes[]',
                'LookingTest::a_slot_that_is_sealed_between_two_listings_fills_the_quota_once',
            ),
            new self(
                'verify: of one moment',
                'Spool/Monitoring/Verify/Accounts.php',
                'if (! $this->snapshot->isStable) {',
                "if (\$result->bucket === '') {",
                'LookingTest::a_segment_sealed_during_the_look_is_not_called_strange',
            ),
            new self(
                'quota',
                'Spool/FileStore/Segment/DiskQuota.php',
                '$used + $bytes > $quota',
                '$used < 0',
                'RefusedAppendTest::a_quota_holds_to_a_slot_for_each_writer_and_a_flush_frees_it',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofFlow(): array
    {
        $plan = 'Spool/Delivery/AtLeastOnceDelivery.php';
        $range = 'PartialBatchFailureTest::a_kill_anywhere_sends_the_same_range_again_and_leaves_each_letter_once';
        $rate = 'RateLimitTest::a_kill_gives_no_tokens_back';

        return [
            new self(
                'rate: tokens with the plan',
                $plan,
                '$this->rate?->take($state, count($delivery->batch)) ?? $state;',
                '$state;',
                $rate,
            ),
            new self(
                'rate: tokens before the ledger',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$this->lease->save($charged);',
                '',
                $rate,
            ),
            new self(
                'rate: tokens given back',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$this->lease->save($before);',
                '',
                'RateLimitTest::a_database_that_is_down_uses_no_tokens_up',
            ),
            new self(
                'rate: clock of the boot',
                'Spool/Delivery/RateLimiter.php',
                'intdiv($this->clock->monotonicNanos(), 1000)',
                '$this->clock->micros()',
                'RateLimitTest::a_clock_that_is_set_opens_no_gate_and_shuts_none',
            ),
            new self(
                'rate: earlier boot',
                'Spool/Store/RateWindow.php',
                '$since > $now ? 0 : $since;',
                '$since;',
                'RateLimitTest::after_a_boot_it_waits_for_its_time_at_most',
            ),
            new self(
                'one by one: cursor after each',
                $plan,
                '$this->lease->save($next === null ? $state : $this->planning($state, $next));',
                'if ($next === null) { $this->lease->save($state); }',
                'SingleEventSinkTest::an_event_that_has_arrived_is_not_sent_again_after_a_kill',
            ),
            new self(
                'one by one: plan of the next',
                $plan,
                '$next === null ? $state : $this->planning($state, $next)',
                '$state',
                'SingleEventSinkTest::an_event_that_may_have_arrived_waits_when_its_bucket_names_another_sink',
            ),
            new self(
                'one by one: its own id',
                $plan,
                '$this->sink instanceof SingleEventSink ? $this->withoutRefused($delivery) : $delivery',
                '$delivery',
                'SingleEventSinkTest::a_dead_event_is_not_handed_over_again_when_the_next_fails',
            ),
            new self(
                'one by one: refused and done',
                'Spool/Delivery/BatchBisector.php',
                "            \$this->run->finishQuietly();\n\n            throw \$failure;\n        }\n    }\n\n"
                    .'    /** @throws',
                "            throw \$failure;\n        }\n    }\n\n    /** @throws",
                'SingleEventSinkTest::a_dead_event_is_not_handed_over_again_when_the_next_fails',
            ),
            new self(
                'begun behind what is refused',
                'Spool/Store/Intent.php',
                'return $this->to !== null && $this->to->compare($position) > 0',
                'return false',
                'SingleEventSinkTest::a_refusal_before_it_does_not_hide_that_a_range_was_begun',
            ),
            new self(
                'some refused: letters first',
                $plan,
                '$this->letters->write($delivery->batch->record(max(0, (int) $number))->position, $reason);',
                'register_shutdown_function(function () use ($delivery, $number, $reason):'
                    .' void { try { $this->letters->write($delivery->batch->record(max(0, (int) $number))->position,'
                    .' $reason); } catch (Throwable) { } });',
                $range,
            ),
            new self(
                'some refused: same range',
                'Spool/Delivery/BucketFlush.php',
                'return $before + $letters->discardVoid($from, false);',
                'return $dead;',
                $range,
            ),
            new self(
                'some refused: numbers',
                $plan,
                ' || $strange !== []',
                '',
                'PartialBatchFailureTest::numbers_that_are_none_are_a_fault_of_the_sink_and_nothing_is_lost',
            ),
            new self(
                'transaction left open',
                'Spool/Delivery/SinkRegistry.php',
                'if ($open !== null) {',
                'if (false) {',
                'CallbackTest::events_that_a_callback_leaves_in_an_open_transaction_are_not_delivered',
            ),
            new self(
                'tries are noted',
                $plan,
                'return $this->limitsAttempts() ? $state->withTried(Attempts::next($state->tried,'
                    .' $delivery->batch->record(0)->position)) : $state;',
                'return $state;',
                'MaxAttemptsTest::it_dies_with_the_last_reason_and_the_next_one_is_delivered',
            ),
            new self(
                'tries of one event',
                'Spool/Store/Attempts.php',
                '$before?->position->equals($position) === true',
                '$before !== null',
                'MaxAttemptsTest::a_refused_event_leaves_its_tries_to_no_other',
            ),
            new self(
                'retry later',
                'Spool/Delivery/Backoff.php',
                'max($asked * 1_000_000, $this->random->getInt(0, $ceiling))',
                '$this->random->getInt(0, $ceiling)',
                'RetryLaterTest::no_flush_tries_before_that_time_and_the_next_one_does',
            ),
            new self(
                'retry later: cap',
                'Spool/Delivery/Backoff.php',
                'min(self::MAX_RETRY_AFTER, max(0, $failure->retryAfter()))',
                'max(0, $failure->retryAfter())',
                'RetryLaterTest::a_sink_that_asks_for_days_is_tried_after_one_and_logged',
            ),
        ];
    }

    /** @return list<self> */
    private static function ofDurability(): array
    {
        $power = 'Spool/FileStore/Fsync/PowerSync.php';
        $sealer = 'Spool/FileStore/Segment/Sealer.php';
        $table = 'PowerCutTest::with_power_a_table_gets_each_acknowledged_event_once_whenever_the_power_goes';
        $file = 'PowerCutTest::with_power_a_file_gets_each_acknowledged_event_whenever_the_power_goes';
        $slots = 'PowerCutTest::with_power_several_slots_sealed_in_one_round_keep_their_accounts';

        return [
            new self('power: frame', $power, 'if (@fdatasync($reader)) {', 'if (is_resource($reader)) {', $table),
            new self('power: slot\'s entry', $power, ' ?? Sync::path($layout->active)', '', $table),
            new self(
                'power: bucket\'s entry',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                '?? Sync::path(dirname($this->layout->directory)) ',
                '',
                $table,
            ),
            new self(
                'power: root\'s entry',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                '@is_readable($above) ? Sync::path($above) : null',
                'null',
                $table,
            ),
            new self(
                'power: node id',
                'Spool/FileStore/Fsync/DirectoryFsync.php',
                'Sync::path("{$root}/node") ?? ',
                '',
                $table,
            ),
            new self(
                'power: state\'s content first',
                'Spool/FileStore/State/ChecksummedFile.php',
                '=== strlen($blocks) && $this->isOnDisk($file);',
                '=== strlen($blocks);',
                $table,
            ),
            new self(
                'power: cut',
                $power,
                '$cut = @ftruncate($segment, max(0, $size));',
                '$cut = true;',
                'SyncFailureTest::an_event_that_could_not_be_put_on_disk_is_refused_and_never_delivered',
            ),
            new self(
                'power: cut on disk',
                $power,
                ' && @fsync($reader)',
                '',
                'SyncFailureTest::a_cut_that_could_not_be_put_on_disk_is_told_as_such',
            ),
            new self(
                'power: slot given up',
                $power,
                '$this->abandon($path);',
                '',
                'SyncFailureTest::nothing_is_written_again_to_a_slot_that_could_not_be_put_on_disk',
            ),
            new self(
                'power: given up, all kept',
                $power,
                'if (! file_exists($newPath)) {',
                'if ($newPath !== \'\') {',
                'SyncFailureTest::slots_that_were_given_up_do_not_replace_each_other',
            ),
            new self(
                'power: path check',
                'Spool/FileStore/Segment/SegmentWriter.php',
                ' || $this->power !== null) &&',
                ') &&',
                'SyncFailureTest::a_writer_that_opened_a_slot_before_it_was_given_up_takes_another',
            ),
            new self(
                'power: kept slot',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '$this->power?->finish($kept->reader, $kept->file, $kept->path, $kept->size);',
                '',
                $table,
            ),
            new self(
                'power: kept slot that was removed',
                'Spool/FileStore/Segment/SegmentWriter.php',
                '(fstat($kept->reader)[\'nlink\'] ?? 0) > 0',
                'true',
                'OpenSegmentTest::with_power_no_event_goes_to_a_kept_slot_that_was_removed',
            ),
            new self(
                'power: flag only if true',
                'Spool/FileStore/Segment/SegmentCreator.php',
                '$now, $this->power !== null);',
                '$now, true);',
                'SyncOrderTest::with_power_a_slot_that_was_begun_without_it_is_made_findable_first',
            ),
            new self(
                'synced seal: data',
                $sealer,
                '$this->sync($path);',
                '',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new self(
                'synced seal: rename',
                $sealer,
                "        \$this->sync(\$this->layout->sealed);\n        \$this->sync(\$this->layout->active);",
                '',
                $slots,
            ),
            new self(
                'synced state',
                'Spool/FileStore/State/ChecksummedFile.php',
                'return ! $this->isSynced || PhpRestrictions::call(\'fsync\', $file) === true;',
                'return true;',
                'SyncOrderTest::with_power_a_seal_relies_on_nothing_that_is_not_on_disk',
            ),
            new self('synced file sink', 'Spool/Delivery/AtLeastOnceDelivery.php', '$this->sink->sync();', '', $file),
            new self(
                'synced cursor, then clean',
                'Spool/FileStore/Maintenance/Cleaner.php',
                '$this->isSynced && $removed === 0',
                '$removed < 0',
                'SyncOrderTest::with_power_the_cursor_is_on_disk_before_delivered_segments_are_removed',
            ),
            new self(
                'interval: slots',
                'Spool/FileStore/Fsync/Syncer.php',
                '$isOnDisk = PhpRestrictions::call(\'fdatasync\', $file) === true;',
                '$isOnDisk = true;',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new self(
                'interval: entries',
                'Spool/FileStore/Fsync/Syncer.php',
                '$failure = Sync::path($this->layout->active) ?? $failure;',
                '',
                'PowerCutTest::with_interval_events_before_the_last_round_of_the_worker_survive',
            ),
            new self(
                'interval: no lock taken for a sync that failed',
                'Spool/FileStore/Fsync/Syncer.php',
                '$isOnDisk ? null',
                '$isOnDisk || true ? null',
                'SyncFailureTest::a_round_of_the_worker_that_fails_says_so_and_counts_nothing_as_synced',
            ),
        ];
    }
}
