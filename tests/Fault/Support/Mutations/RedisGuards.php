<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class RedisGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $scripts = 'Spool/RedisStore/Stream/Scripts.php';

        return [
            new Mutation(
                'redis: owner fence',
                $scripts,
                'if owner ~= ARGV[1] then',
                'if false then',
                'RedisOwnerTest::one_that_stood_still_before_its_save_trims_nothing_that_it_does_not_own',
            ),
            new Mutation(
                'redis: release what is its own',
                $scripts,
                "if redis.call('GET', KEYS[6]) == ARGV[1] then",
                'if true then',
                'RedisOwnerTest::one_that_stood_still_before_its_save_trims_nothing_that_it_does_not_own',
            ),
            new Mutation(
                'redis: one owner',
                $scripts,
                "ARGV[1], 'NX', 'PX'",
                "ARGV[1], 'PX'",
                'RedisOwnerTest::a_second_flusher_finds_the_bucket_busy',
            ),
            new Mutation(
                'redis: token check',
                $scripts,
                "if token ~= '' and redis.call('SISMEMBER'",
                "if false and redis.call('SISMEMBER'",
                'RedisFallbackTest::an_append_whose_reply_was_lost_arrives_once_where_redis_had_taken_it',
            ),
            new Mutation(
                'redis: token kept',
                $scripts,
                "redis.call('SADD', KEYS[3], token)",
                '',
                'RedisFallbackTest::an_append_that_arrives_late_does_not_double_a_drained_event',
            ),
            new Mutation(
                'redis: token on disk',
                'Spool/RedisStore/RedisWriter.php',
                "\$e->mayHaveRun ? \$token : ''",
                "''",
                'RedisFallbackTest::an_append_whose_reply_was_lost_arrives_once_where_redis_had_taken_it',
            ),
            new Mutation(
                'redis: doubt',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                'if ($isDoubtful) {',
                'if (false) {',
                'RedisFallbackTest::one_that_redis_can_know_nothing_of_any_more_becomes_a_letter',
            ),
            new Mutation(
                'redis: forgotten by Redis',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten = $entry->end->compare($this->forgotten) <= 0;',
                '$isForgotten = false;',
                'RedisFallbackTest::events_that_redis_took_from_disk_and_forgot_do_not_come_again',
            ),
            new Mutation(
                'redis: forgotten disk',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten || $isOfForgottenNode ||',
                '$isForgotten ||',
                'RedisForgottenNodeTest::a_forgotten_disk_that_redis_had_drained_doubles_nothing',
            ),
            new Mutation(
                'redis: disk says first that Redis may have it',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$this->register($lease);',
                '',
                'RedisForgottenNodeTest::a_forgotten_disk_that_redis_had_drained_doubles_nothing',
            ),
            new Mutation(
                'redis: Redis knows the disk first',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$this->cursor->moveTo($to, $lease->source()->node, Scripts::DRAIN, []);',
                '',
                'RedisForgottenNodeTest::forgetting_one_disk_leaves_another_out_of_doubt',
            ),
            new Mutation(
                'redis: flushed from disk meanwhile',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                '$isForgotten = $isOfRedis && $taken',
                '$isForgotten = $taken',
                'RedisFallbackTest::events_delivered_from_disk_between_two_times_in_redis_arrive_once',
            ),
            new Mutation(
                'redis: shared rate',
                'Spool/Delivery/BucketFlush.php',
                '$lease instanceof Replicated)',
                'false)',
                'RedisOwnerTest::a_rate_holds_for_machines_whose_boots_and_clocks_differ',
            ),
            new Mutation(
                'redis: cursor of the disk',
                $scripts,
                'if cursor ~= false and cursor ~= ARGV[3] then',
                'if false then',
                'RedisFallbackTest::two_that_bring_the_same_disk_back_do_it_once',
            ),
            new Mutation(
                'redis: disk waits, Redis delivers',
                'Spool/RedisStore/Fallback/FallbackDrain.php',
                "\$e->kind === '' ? throw",
                'true ? throw',
                'RedisFallbackTest::events_that_redis_has_no_memory_for_go_to_disk_and_delivery_continues',
            ),
            new Mutation(
                'redis: owning at maxmemory',
                $scripts,
                "redis.call('HDEL', KEYS[2], '-')\n",
                '',
                'RedisFallbackTest::events_that_redis_has_no_memory_for_go_to_disk_and_delivery_continues',
            ),
            new Mutation(
                'redis: it answers again',
                'Spool/RedisStore/Client/CircuitBreakerFile.php',
                '@unlink($this->path);',
                '',
                'RedisFallbackTest::events_that_redis_could_not_take_wait_on_disk_and_return_in_order',
            ),
            new Mutation(
                'redis: disk waits for replicas',
                'Spool/RedisStore/Fallback/DrainCursor.php',
                '$confirmed < $this->wait',
                'false',
                'RedisFailoverTest::with_wait_the_disk_forgets_nothing_that_only_the_server_has_that_dies_next',
            ),
            new Mutation(
                'redis: trim behind the cursor',
                $scripts,
                "redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[4])",
                "redis.call('XTRIM', KEYS[1], 'MAXLEN', 0)",
                'RedisOwnerTest::undelivered_entries_are_never_trimmed',
            ),
            new Mutation(
                'redis: least id',
                $scripts,
                'if meta[1] and (ms <',
                'if false and (ms <',
                'RedisOwnerTest::a_new_event_never_gets_a_place_that_counts_as_delivered',
            ),
            new Mutation(
                'redis: a foreign entry goes as its letter comes',
                $scripts,
                "if redis.call('XDEL', KEYS[1], ARGV[3]) == 0 then return 0 end",
                '',
                'RedisForeignEntryTest::a_flusher_that_is_killed_after_it_was_set_aside_leaves_one_letter',
            ),
            new Mutation(
                'redis: events as many as it says',
                'Spool/RedisStore/Stream/StreamEntry.php',
                'substr_count($payload, "\\n") === $count - 1',
                '$count > 0',
                'RedisForeignEntryTest::it_becomes_a_dead_letter_in_the_middle_and_at_the_end',
            ),
            ...self::ofIds($scripts),
            new Mutation(
                'redis: replicas first',
                'Spool/RedisStore/RedisLease.php',
                '$confirmed < $replication->replicas',
                'false',
                'RedisFailoverTest::nothing_is_handed_over_that_the_replica_does_not_have',
            ),
            new Mutation(
                'redis: maybe delivered',
                'Spool/RedisStore/RedisLease.php',
                '$this->letters->add($letter);',
                '',
                'RedisSetBackTest::an_event_that_a_slow_clock_puts_before_the_ledgers_place_becomes_a_letter',
            ),
            new Mutation(
                'redis: what a server found',
                $scripts,
                'if meta[1] or (meta[2] and meta[2] ~= server) then',
                'if false then',
                'RedisFailoverTest::delivered_events_that_redis_forgot_do_not_come_again_and_new_ones_do',
            ),
            new Mutation(
                'redis: what is gone is told',
                'Spool/Delivery/BucketFlush.php',
                '$this->lease instanceof CanLoseTail ?',
                'false ?',
                'RedisSetBackTest::every_command_ends_with_1_before_the_flush_which_tells_what_is_gone',
            ),
            new Mutation(
                'redis: an id of its own',
                'Spool/Recovery/NodeIdReplacement.php',
                '$redis === null ? $sink?->progress',
                'true ? $sink?->progress',
                'RedisForkTest::a_copied_disk_is_told_by_every_command_until_it_has_another_id',
            ),
        ];
    }

    /** @return list<Mutation> */
    private static function ofIds(string $scripts): array
    {
        $ids = 'RedisIdsTest::';
        $edge = "{$ids}at_the_edge_of_clock_ids_all_events_are_delivered_once";
        $last = "{$ids}the_greatest_id_of_all_can_end_a_read";

        return [
            new Mutation(
                'redis: no place behind all clocks',
                $scripts,
                'if not has_put and exceeds_clock(last, meta[1]) then',
                'if false then',
                'RedisForeignEntryTest::an_id_of_no_clock_sends_events_to_disk_until_a_flush',
            ),
            new Mutation(
                'redis: a stream with events is kept',
                $scripts,
                "if redis.call('XLEN', KEYS[1]) > 0 then\n",
                "if false then\n                    ",
                "{$ids}until_all_that_waits_is_delivered_none_of_it_is_touched",
            ),
            new Mutation(
                'redis: an empty stream begins again',
                $scripts,
                "redis.call('DEL', KEYS[1])\n",
                "\n                    ",
                "{$ids}an_entry_that_was_removed_by_hand_is_not_noticed_where_no_event_waits",
            ),
            new Mutation(
                'redis: behind the greatest id of all',
                $scripts,
                "last ~= '18446744073709551615-18446744073709551615'",
                "last ~= ''",
                "{$ids}an_entry_that_was_removed_by_hand_is_not_noticed_where_no_event_waits",
            ),
            new Mutation(
                'redis: what is refused leaves nothing',
                $scripts,
                "if type(id) == 'string' then redis.call('XDEL', KEYS[1], id) end",
                '',
                "{$ids}until_all_that_waits_is_delivered_none_of_it_is_touched",
            ),
            new Mutation('redis: a long sequence is of no clock', $scripts, '#seq > MAX_DIGITS or ', '', $edge),
            new Mutation(
                'redis: those of one step',
                $scripts,
                'has_put = true',
                'has_put = false',
                "{$ids}at_the_edge_a_disk_is_drained_as_a_whole_or_not_at_all",
            ),
            new Mutation(
                'redis: behind the ledger is of a clock',
                $scripts,
                ' and tonumber(ms) > tonumber(floor or 0)',
                '',
                $edge,
            ),
            new Mutation(
                'redis: a least id that can be counted on from',
                'Spool/RedisStore/Stream/StreamId.php',
                '$sequence > self::MAX_SEQUENCE ?',
                'false ?',
                $edge,
            ),
            new Mutation(
                'redis: tokens by the clock',
                $scripts,
                "'tokens_since', meta[3] or millis, 'tokens_at', millis)",
                "'tokens_since', meta[3] or millis, 'tokens_at', ms)",
                "{$ids}the_clock_and_not_the_ids_says_since_when_appends_are_known",
            ),
            new Mutation(
                'redis: nothing is read behind the last',
                'Spool/RedisStore/Stream/StreamReader.php',
                'while ($start !== "({$last}") {',
                'while (true) {',
                $last,
            ),
            new Mutation(
                'redis: nothing is read at once behind the last',
                $scripts,
                'got[4][1] == ARGV[4] or ',
                '',
                $last,
            ),
            new Mutation('redis: nothing is counted behind the last', $scripts, ' or got[4][1] == ARGV[2]', '', $last),
        ];
    }
}
