<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Source;

/**
 * A dead letter: an event that its sink refused, and why.
 *
 * @internal
 */
final readonly class DeadLetter
{
    /**
     * @param string $id id of the event, the same in every retry
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param int $diedAt microseconds since the Unix epoch
     * @param string $line the event's line in the log; docs/spool-format.md, "A line"
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

    /** Takes the id from the line, or derives it from the position when the line has none. */
    public static function of(
        Source $source,
        Position $position,
        int $acceptedAt,
        int $diedAt,
        string $sink,
        string $reason,
        string $line,
    ): self {
        $event = str_starts_with($line, '[') ? json_decode($line, true, 4) : null;
        $id = is_array($event) && is_string($event[0] ?? null) ? $event[0] : $source->idOf($position, $acceptedAt);

        return new self($position, $id, $acceptedAt, $diedAt, $sink, $reason, $line);
    }

    /** Returns the line with the id in it, so that the event keeps its id at its next position. */
    public function lineWithId(): string
    {
        return str_starts_with($this->line, '{')
            ? '['.json_encode($this->id, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES).",{$this->line}]"
            : $this->line;
    }
}
