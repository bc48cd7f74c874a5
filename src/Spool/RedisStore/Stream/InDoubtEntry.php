<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\LogEntry;

/**
 * An entry that may have been delivered before. Its events become dead letters, and an operator decides whether to
 * deliver them again.
 *
 * @internal
 */
final readonly class InDoubtEntry
{
    public function __construct(
        private LogEntry $entry,
        private Source $source,
        private Clock $clock,
        private string $reason,
    ) {}

    /** @return list<DeadLetter> letters of the events before the position */
    public function lettersBefore(Position $to): array
    {
        return array_values(array_filter(
            $this->letters(array_slice(explode("\n", $this->entry->payload), $this->entry->position->index)),
            static fn (DeadLetter $letter): bool => $letter->position->compare($to) < 0,
        ));
    }

    /**
     * @param list<string> $lines the entry's events, from the one at its position on
     * @return list<DeadLetter>
     */
    public function letters(array $lines): array
    {
        $letters = [];
        $first = $this->entry->position;

        foreach ($lines as $index => $line) {
            $position = new Position($first->segment, $first->offset, min(65_535, $first->index + $index));
            $letters[] = new DeadLetter(
                $position,
                $this->source->idOf($position, $this->entry->acceptedAt),
                $this->entry->acceptedAt,
                $this->clock->micros(),
                'redis',
                $this->reason,
                $line,
            );
        }

        return $letters;
    }
}
