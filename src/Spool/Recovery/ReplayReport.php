<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

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
     * @param int $unknown events of a batch that was begun, of which nobody knows whether the sink has had them
     * @param int $waiting events that the next flush has to deliver, all of these included
     */
    public function __construct(
        public Position $cursor,
        public int $again,
        public int $unknown,
        public int $waiting,
        public bool $isDone,
    ) {}
}
