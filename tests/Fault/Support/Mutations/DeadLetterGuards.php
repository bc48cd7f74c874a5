<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class DeadLetterGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $run = 'Spool/Delivery/DeliveryRun.php';
        $box = 'Spool/FileStore/DeadLetters/DeadLetterDirectory.php';

        return [
            new Mutation(
                'only the past speaks',
                $run,
                'isOfNow: $isMany',
                'isOfNow: false',
                'SinkAtFaultTest::what_only_older_events_speak_for_holds_its_bucket_behind_a_thousand',
            ),
            new Mutation(
                'letters that went with a disk',
                'Spool/Delivery/BucketFlush.php',
                'if ($gone > 0) {',
                'if ($gone > 1_000) {',
                'LostDeadLettersTest::letters_that_went_with_a_disk_are_told_with_their_number',
            ),
            new Mutation(
                'letters that are here',
                'Spool/Delivery/BucketFlush.php',
                '$known->dead - $there;',
                '$known->dead;',
                'LostDeadLettersTest::letters_that_are_here_are_not_missed_behind_a_crash',
            ),
            new Mutation(
                'a fork is no crash',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$isForked = ForkDetector::hasDiverged(',
                '$isForked = false && ForkDetector::hasDiverged(',
                'ForkTest::an_event_of_equal_length_behind_a_restored_copy_is_not_taken_for_delivered',
            ),
            new Mutation(
                'letter before the step',
                $run,
                "        \$this->writeLetters();\n        \$this->send(\$this",
                '        $this->send($this',
                'DeadLetterTest::a_bad_row_among_good_ones_dies_alone',
            ),
            new Mutation(
                'letter before the last step',
                $run,
                "        \$this->writeLetters();\n        [",
                '        [',
                'DeadLetterTest::a_bad_row_among_good_ones_dies_alone',
            ),
            new Mutation(
                'whole sink refuses',
                $run,
                '$this->probe === null && $inRow >= self::MAX_REFUSALS_IN_A_ROW',
                'false',
                'PartialBatchFailureTest::batches_of_which_nothing_arrives_count_as_refusals_and_none_dies_of_them',
            ),
            new Mutation(
                'refusals are counted on disk',
                $run,
                '$this->lease->state()->refusedInRow + ',
                '',
                'PartialBatchFailureTest::a_sink_that_refuses_everything_is_noticed_over_many_small_flushes',
            ),
            new Mutation(
                'what is refused dies only once another is taken',
                $run,
                '$this->newRefusals > 0 && ! $this->options->buryAll',
                'false',
                'DeadLetterTest::a_bucket_that_never_took_anything_buries_nothing_over_many_small_flushes',
            ),
            new Mutation(
                'letter ahead is void',
                $box,
                'str_ends_with($name, self::LETTER) && ! file_exists(',
                '$name === \'\' && ! file_exists(',
                'DeadLetterTest::a_letter_is_void_when_the_sink_takes_its_event_after_all',
            ),
            new Mutation(
                'last copy is kept',
                $box,
                ' && $this->isInLog((int) substr($position, 0, 20))',
                '',
                'RedriveTest::a_letter_whose_segment_is_cleaned_outlives_a_restored_database',
            ),
            new Mutation(
                'refused again is no news',
                $run,
                '! $event->isNewRefusal',
                '$event->reason === null',
                'RedriveTest::letters_refused_again_tell_nothing_of_a_sink_that_cannot_be_tried',
            ),
            new Mutation(
                'plan without the dead',
                $box,
                '$isResent || str_ends_with($name, self::TOMBSTONE)',
                'str_ends_with($name, self::TOMBSTONE)',
                'DeadLetterTest::a_plan_with_dead_letters_is_sent_again_without_them',
            ),
            new Mutation(
                'stone',
                $box,
                '$isResent || str_ends_with($name, self::TOMBSTONE)',
                '$isResent',
                'RedriveTest::a_restored_database_gets_back_what_it_lost_and_no_letter_twice',
            ),
            new Mutation(
                'letter goes with its seal',
                'Spool/FileStore/Segment/Sealer.php',
                "\$this->sync(\$this->layout->active);\n        \$this->removeRetriedLetters();",
                '$this->sync($this->layout->active);',
                'RedriveTest::a_letter_that_is_retried_arrives_once_and_keeps_its_id',
            ),
            new Mutation(
                'letter goes after a crash',
                'Spool/FileStore/Segment/Sealer.php',
                "\$this->reconcile();\n        \$this->removeRetriedLetters();",
                '$this->reconcile();',
                'RedriveTest::a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once',
            ),
            new Mutation(
                'retry: take-back',
                'Spool/Store/State/StateRecord.php',
                '$wasRetry = $this->retrySegment === $this->sealed;',
                '$wasRetry = false;',
                'RedriveTest::a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once',
            ),
            new Mutation(
                'failure noted',
                'Spool/Delivery/Flusher.php',
                '$lease->save($state->failed($retry, $inFlight));',
                '',
                'RetryStateTest::failures_are_counted_over_processes',
            ),
            new Mutation(
                'ended in the middle',
                'Spool/Delivery/Flusher.php',
                'if (! $state->intent->isUnderWay) {',
                'if (true) {',
                'RetryStateTest::a_process_that_ended_in_a_sink_is_told_by_the_next_one',
            ),
            new Mutation(
                'time of next try',
                'Spool/Delivery/Flusher.php',
                'if ($before !== null && ! $limits->now && ',
                'if ($before === null && ',
                'RetryStateTest::a_flush_before_the_noted_time_tries_nothing_and_makes_no_segment',
            ),
            new Mutation(
                'next try: clock set back',
                'Spool/Delivery/Backoff.php',
                ' && $retry->nextTry - $now <= $retry->retryAfter * 1_000_000 + self::MAX_MICROS',
                '',
                'RetryStateTest::clock_jump',
            ),
            new Mutation(
                'replay asks',
                'Spool/Recovery/Replay.php',
                '($twice + $unknown === 0 || $again)',
                '$twice >= 0',
                'ReplayTest::a_second_arrival_has_to_be_asked_for_and_is_counted_apart',
            ),
            new Mutation(
                'replay asks about what was begun',
                'Spool/Recovery/Replay.php',
                '$twice + $unknown === 0',
                '$twice === 0',
                'ReplayTest::a_begun_range_has_to_be_asked_for_as_well',
            ),
            new Mutation(
                'replay skips nothing',
                'Spool/Recovery/Replay.php',
                '$target->position->compare($ledger->position) > 0',
                '$again && $target->position->compare($ledger->position) > 0',
                'ReplayTest::undelivered_events_are_never_passed_over',
            ),
        ];
    }
}
