<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The sink stored the batch except for some records, which it will never take. The flusher makes those dead letters and
 * does not send the others again.
 */
interface PartialBatchFailure extends Permanent, UnableToDeliver
{
    /** @return non-empty-array<int<0, max>, string> the reason, by the record's index in the batch */
    public function refused(): array;
}
