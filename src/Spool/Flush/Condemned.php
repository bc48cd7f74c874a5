<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Position;

/**
 * An event that is not handed to the sink again.
 *
 * @internal
 */
final readonly class Condemned
{
    /**
     * @param ?string $reason null when it has its letter already
     * @param bool $isRevived it was a dead letter before: that it is refused again tells nothing of the sink
     */
    public function __construct(
        public Position $from,
        public Position $position,
        public Position $end,
        public ?string $reason,
        public bool $isRevived = false,
    ) {}
}
