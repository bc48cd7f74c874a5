<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class DeliveryGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $plan = 'Spool/Delivery/AtLeastOnceDelivery.php';
        $ledger = 'Spool/Delivery/ExactlyOnceDelivery.php';

        return [
            new Mutation(
                'compare-and-set',
                'Sink/Database/Ledger.php',
                'and bucket = ? and position = ?',
                'and bucket = ? and position >= ?',
                'ZombieFlusherTest::one_that_had_begun_finds_the_ledger_moved_and_delivers_nothing',
            ),
            new Mutation(
                'one transaction',
                'Sink/Database/DatabaseSink.php',
                "\$this->faultPoint?->reached('ledger.advanced');",
                "\$this->faultPoint?->reached('ledger.advanced'); \$connection->commit();"
                    .' $connection->beginTransaction();',
                'KilledFlusherTest::nothing_is_lost_or_doubled_and_the_next_flush_goes_on',
            ),
            new Mutation(
                'plan saved first',
                $plan,
                '$this->lease->save($this->planning($this->lease->state(), $delivery));',
                '',
                'AtLeastOnceDeliveryTest::a_range_that_was_planned_and_not_sent_is_sent_as_it_was_planned',
            ),
            new Mutation(
                'plan kept on retry',
                $plan,
                'return $this->lease->state()->intent->to;',
                'return null;',
                'AtLeastOnceDeliveryTest::a_sent_range_that_was_not_noted_comes_again_under_its_id',
            ),
            new Mutation(
                'plan waits for its sink',
                $plan,
                '$state->intent->for !== $this->bucket->sinkFingerprint()',
                '$this->bucket->name === \'\'',
                'AtLeastOnceDeliveryTest::a_range_that_was_begun_waits_when_the_settings_of_its_sink_change',
            ),
            new Mutation(
                'ledger forgot',
                $ledger,
                'if (! $last->position->isStart()) {',
                'if ($last->position->segment < 0) {',
                'ReplayTest::another_database_asks_and_gets_only_new_events',
            ),
            new Mutation(
                'log began again',
                $ledger,
                ' || ! $this->lease->state()->isNew',
                ' || true',
                'SegmentsTest::a_new_log_of_the_same_size_is_not_taken_for_the_old_one',
            ),
            new Mutation(
                'ledger ahead',
                $ledger,
                '$ledger->position->compare($last->position) > 0 && (',
                '$ledger->position->compare($last->position) < 0 && (',
                'SegmentsTest::a_ledger_ahead_of_a_new_log_stops_the_bucket',
            ),
        ];
    }
}
