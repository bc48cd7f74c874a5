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
     * @param ?string $ownId an id the event had before it was accepted here; it outranks its place
     */
    public function __construct(
        public Position $position,
        public int $acceptedAt,
        public array $values,
        public ?string $ownId = null,
    ) {}
}
