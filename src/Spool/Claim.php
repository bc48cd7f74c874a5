<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Position;
use Headroom\Sink\Source;

/**
 * The right to flush a bucket. It dies with the process.
 *
 * @internal
 */
interface Claim
{
    public function source(): Source;

    public function log(): Log;

    /**
     * @param Position $delivered everything before it may be retired now and removed later
     *
     * @throws UnableToFlush
     */
    public function release(Position $delivered): void;
}
