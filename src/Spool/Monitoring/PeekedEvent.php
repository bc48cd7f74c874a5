<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\UnableToDecode;

/**
 * An event that waits, as somebody sees it who only looks.
 *
 * @internal
 */
final readonly class PeekedEvent
{
    /**
     * @param string $place position in the log; for one in a slot, which has none yet, the slot's name,
     *     offset and index
     * @param ?string $id null as long as it has none
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values by column name
     * @param ?string $error why its values can not be shown
     */
    public function __construct(
        public string $place,
        public ?string $id,
        public bool $isSealed,
        public int $acceptedAt,
        public array $values,
        public ?string $error = null,
    ) {}

    /** @param ?string $id of the place; an event that carries an id keeps its own */
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
