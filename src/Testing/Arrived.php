<?php

declare(strict_types=1);

namespace Headroom\Testing;

/**
 * An event as a contract test finds it at a sink's destination.
 */
final readonly class Arrived
{
    /**
     * @param array<string, mixed> $values by column name, in the types of SinkContract::COLUMNS
     * @param ?string $id the id that the sink sent with the event; null if the destination stores none, as with an
     * exactly-once sink
     */
    public function __construct(public array $values, public ?string $id = null) {}
}
