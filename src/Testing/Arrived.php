<?php

declare(strict_types=1);

namespace Headroom\Testing;

/**
 * An event as it was found at a sink's destination.
 */
final readonly class Arrived
{
    /**
     * @param array<string, mixed> $values by column name, in the types of SinkContract::COLUMNS
     * @param ?string $id the id the sink sent along; null where the destination keeps none, as an exactly-once sink may
     */
    public function __construct(public array $values, public ?string $id = null) {}
}
