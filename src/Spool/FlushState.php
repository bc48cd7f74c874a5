<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Position;
use Headroom\Sink\Progress;

/**
 * What a flusher leaves to the next one.
 *
 * @internal
 */
final readonly class FlushState
{
    /**
     * @param Progress $progress the truth for a plain sink; for one with a ledger, what the ledger said last
     * @param ?Position $planned the end of a range that was begun from the cursor and may have arrived, or part of it
     * @param string $plannedFor which sink, with which settings
     */
    public function __construct(
        public Progress $progress,
        public ?Position $planned = null,
        public string $plannedFor = '',
    ) {}

    public static function fresh(): self
    {
        return new self(Progress::none());
    }
}
