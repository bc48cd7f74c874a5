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
     * @param int $again events that the sink has had already and will get once more
     * @param int $waiting events that the next flush has to deliver, these included
     */
    public function __construct(public Position $cursor, public int $again, public int $waiting, public bool $isDone) {}
}
