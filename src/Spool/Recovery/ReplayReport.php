<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Position;

/**
 * The result of a replay, or of a dry run.
 *
 * @internal
 */
final readonly class ReplayReport
{
    /**
     * @param int $redelivered events that the sink has received and will get again
     * @param int $unknown events of an announced batch; the sink may have received them
     * @param int $waiting events that the next flush has to deliver, including all of these
     */
    public function __construct(
        public Position $cursor,
        public int $redelivered,
        public int $unknown,
        public int $waiting,
        public bool $isDone,
    ) {}
}
