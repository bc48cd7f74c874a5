<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\UnableToDecode;

/**
 * A waiting event, as it is shown.
 *
 * @internal
 */
final readonly class PeekedEvent
{
    /**
     * @param string $place position in the log; for an event in an active segment, which has no position yet, the
     *     segment's name, offset and index
     * @param ?string $id null while it has no id
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values by column name
     * @param ?string $error why its values cannot be shown
     */
    public function __construct(
        public string $place,
        public ?string $id,
        public bool $isSealed,
        public int $acceptedAt,
        public array $values,
        public ?string $error = null,
    ) {}

    /** @param ?string $id derived from the position; an event that has an id keeps it */
    public static function decoded(
        Codec $codec,
        string $line,
        string $place,
        ?string $id,
        bool $isSealed,
        int $acceptedAt,
    ): self {
        try {
            [$values, $ownId] = $codec->decode($line);

            return new self($place, $ownId ?? $id, $isSealed, $acceptedAt, $values);
        } catch (UnableToDecode $e) {
            return new self($place, $id, $isSealed, $acceptedAt, [], ucfirst($e->getMessage()));
        }
    }
}
