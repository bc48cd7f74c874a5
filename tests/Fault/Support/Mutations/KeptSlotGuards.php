<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class KeptSlotGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $slots = 'Spool/FileStore/Segment/SegmentWriter.php';

        return [
            new Mutation(
                'kept slot: seen by others',
                $slots,
                'self::$allKept?->closeExpired($now, self::KEEP_MICROS);',
                '',
                'OpenSegmentsTest::a_slot_is_given_back_after_a_second_of_writes_to_another_bucket',
            ),
            new Mutation(
                'kept slot: free for a second',
                $slots,
                '$kept->path ?? $this->closedPath',
                '$kept->path ?? null',
                'OpenSegmentsTest::two_buckets_in_a_busy_loop_leave_each_slot_free_for_a_second',
            ),
            new Mutation(
                'exception keeps no slot',
                $slots,
                '$this->abandon($segment);',
                '',
                'OpenSegmentsTest::a_kept_exception_does_not_keep_the_slot',
            ),
        ];
    }
}
