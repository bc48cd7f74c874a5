<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class FlowGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $plan = 'Spool/Delivery/AtLeastOnceDelivery.php';
        $range = 'PartialBatchFailureTest::a_kill_anywhere_sends_the_same_range_again_and_leaves_each_letter_once';
        $rate = 'RateLimitTest::a_kill_gives_no_tokens_back';

        return [
            new Mutation(
                'rate: tokens with the plan',
                $plan,
                '$this->rate?->take($state, count($delivery->batch)) ?? $state;',
                '$state;',
                $rate,
            ),
            new Mutation(
                'rate: tokens before the ledger',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$this->lease->save($charged);',
                '',
                $rate,
            ),
            new Mutation(
                'rate: tokens given back',
                'Spool/Delivery/ExactlyOnceDelivery.php',
                '$this->lease->save($before);',
                '',
                'RateLimitTest::a_database_that_is_down_uses_no_tokens_up',
            ),
            new Mutation(
                'rate: clock of the boot',
                'Spool/Delivery/RateLimiter.php',
                'intdiv($this->clock->monotonicNanos(), 1000)',
                '$this->clock->micros()',
                'RateLimitTest::a_clock_that_is_set_opens_no_gate_and_shuts_none',
            ),
            new Mutation(
                'rate: earlier boot',
                'Spool/Store/State/RateWindow.php',
                '$since > $now ? 0 : $since;',
                '$since;',
                'RateLimitTest::after_a_boot_it_waits_for_its_time_at_most',
            ),
            new Mutation(
                'one by one: cursor after each',
                $plan,
                '$this->lease->save($next === null ? $state : $this->planning($state, $next));',
                'if ($next === null) { $this->lease->save($state); }',
                'SingleEventSinkTest::an_event_that_has_arrived_is_not_sent_again_after_a_kill',
            ),
            new Mutation(
                'one by one: plan of the next',
                $plan,
                '$next === null ? $state : $this->planning($state, $next)',
                '$state',
                'SingleEventSinkTest::an_event_that_may_have_arrived_waits_when_its_bucket_names_another_sink',
            ),
            new Mutation(
                'one by one: its own id',
                $plan,
                '$this->sink instanceof SingleEventSink ? $this->withoutRefused($delivery) : $delivery',
                '$delivery',
                'SingleEventSinkTest::a_dead_event_is_not_handed_over_again_when_the_next_fails',
            ),
            new Mutation(
                'one by one: refused and done',
                'Spool/Delivery/BatchBisector.php',
                "            \$this->run->finishQuietly();\n\n            throw \$failure;\n        }\n    }\n\n"
                    .'    /** @throws',
                "            throw \$failure;\n        }\n    }\n\n    /** @throws",
                'SingleEventSinkTest::a_dead_event_is_not_handed_over_again_when_the_next_fails',
            ),
            new Mutation(
                'begun behind what is refused',
                'Spool/Store/State/Intent.php',
                'return $this->to !== null && $this->to->compare($position) > 0',
                'return false',
                'SingleEventSinkTest::a_refusal_before_it_does_not_hide_that_a_range_was_begun',
            ),
            new Mutation(
                'some refused: letters first',
                $plan,
                '$this->letters->write($delivery->batch->record(max(0, (int) $number))->position, $reason);',
                'register_shutdown_function(function () use ($delivery, $number, $reason):'
                    .' void { try { $this->letters->write($delivery->batch->record(max(0, (int) $number))->position,'
                    .' $reason); } catch (Throwable) { } });',
                $range,
            ),
            new Mutation(
                'some refused: same range',
                'Spool/Delivery/BucketFlush.php',
                'return $before + $letters->discardVoid($from, false);',
                'return $dead;',
                $range,
            ),
            new Mutation(
                'some refused: numbers',
                $plan,
                ' || $strange !== []',
                '',
                'PartialBatchFailureTest::numbers_that_are_none_are_a_fault_of_the_sink_and_nothing_is_lost',
            ),
            new Mutation(
                'transaction left open',
                'Spool/Delivery/SinkRegistry.php',
                'if ($open !== null) {',
                'if (false) {',
                'CallbackTest::events_that_a_callback_leaves_in_an_open_transaction_are_not_delivered',
            ),
            new Mutation(
                'tries are noted',
                $plan,
                'return $this->limitsAttempts() ? $state->withTried(Attempts::next($state->tried,'
                    .' $delivery->batch->record(0)->position)) : $state;',
                'return $state;',
                'MaxAttemptsTest::it_dies_with_the_last_reason_and_the_next_one_is_delivered',
            ),
            new Mutation(
                'tries of one event',
                'Spool/Store/State/Attempts.php',
                '$before?->position->equals($position) === true',
                '$before !== null',
                'MaxAttemptsTest::a_refused_event_leaves_its_tries_to_no_other',
            ),
            new Mutation(
                'retry later',
                'Spool/Delivery/Backoff.php',
                'max($asked * 1_000_000, $this->random->getInt(0, $ceiling))',
                '$this->random->getInt(0, $ceiling)',
                'RetryLaterTest::no_flush_tries_before_that_time_and_the_next_one_does',
            ),
            new Mutation(
                'retry later: cap',
                'Spool/Delivery/Backoff.php',
                'min(self::MAX_RETRY_AFTER, max(0, $failure->retryAfter()))',
                'max(0, $failure->retryAfter())',
                'RetryLaterTest::a_sink_that_asks_for_days_is_tried_after_one_and_logged',
            ),
        ];
    }
}
