<?php

declare(strict_types=1);

namespace Headroom\Core;

use DateTimeImmutable;

/**
 * One accepted event.
 */
final readonly class Record
{
    /**
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values by column name
     * @param ?string $ownId id that the event had before it was accepted here; used instead of the id from its position
     */
    public function __construct(
        public Position $position,
        public int $acceptedAt,
        public array $values,
        public ?string $ownId = null,
    ) {}
}
