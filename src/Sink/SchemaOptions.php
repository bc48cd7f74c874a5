<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * How what a sink writes into is to be made.
 *
 * @internal
 */
final readonly class SchemaOptions
{
    /**
     * @param ?int<1, max> $keepDays after which events are removed there; null: never
     * @param DataMapping $data of the column `data`
     * @param bool $isDry nothing is made; the steps say what would be
     */
    public function __construct(public ?int $keepDays = null, public DataMapping $data = DataMapping::Flattened, public bool $isDry = false) {}
}
