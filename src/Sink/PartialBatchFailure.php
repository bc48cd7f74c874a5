<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The batch was taken but for some of its records, which are refused for good: they become dead letters, and all others
 * have arrived and do not come again.
 */
interface PartialBatchFailure extends Permanent, UnableToDeliver
{
    /** @return non-empty-array<int<0, max>, string> why, by the record's number in the batch */
    public function refused(): array;
}
