<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Position;

/**
 * A dead letter: an event that its sink refused, and why.
 *
 * @internal
 */
final readonly class Letter
{
    /**
     * @param string $id the event's, the same through every retry
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param int $diedAt microseconds since the Unix epoch
     * @param string $line the event as it lay in the log; docs/spool-format.md, "A line"
     */
    public function __construct(
        public Position $position,
        public string $id,
        public int $acceptedAt,
        public int $diedAt,
        public string $sink,
        public string $reason,
        public string $line,
    ) {}

    /** The line with the id in it, so that the event keeps it wherever it lies next. */
    public function lineWithId(): string
    {
        return str_starts_with($this->line, '{')
            ? '['.json_encode($this->id, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES).",{$this->line}]"
            : $this->line;
    }
}
