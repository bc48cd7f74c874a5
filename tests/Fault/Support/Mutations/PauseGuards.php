<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class PauseGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $flusher = 'Spool/Delivery/Flusher.php';

        return [
            new Mutation(
                'pause before the claim',
                $flusher,
                '$report->paused = $this->store->isPaused($bucket);',
                '',
                'PauseTest::a_paused_bucket_s_database_is_left_alone',
            ),
            new Mutation(
                'pause between batches',
                'Spool/Delivery/BucketFlush.php',
                '$this->report->paused = ($this->isPaused)();',
                '',
                'PauseTest::a_running_flush_stops_after_its_batch_and_resuming_delivers_the_rest_once',
            ),
        ];
    }
}
