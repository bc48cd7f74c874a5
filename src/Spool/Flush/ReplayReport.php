<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Position;

/**
 * What a replay did, or would do.
 *
 * @internal
 */
final readonly class ReplayReport
{
    /**
     * @param int $again events that the sink has had already, or may have, and will get once more
     * @param int $begun those of them of which nobody knows: the range was begun, and no answer came
     * @param int $waiting events that the next flush has to deliver, these included
     */
    public function __construct(public Position $cursor, public int $again, public int $begun, public int $waiting, public bool $isDone) {}
}
