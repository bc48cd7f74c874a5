<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * How a sink creates its destination.
 *
 * @internal
 */
final readonly class SchemaOptions
{
    /**
     * @param ?int<1, max> $keepDays days after which the server deletes events; null keeps them forever
     * @param DataMapping $data mapping of the column `data`
     * @param bool $isDryRun creates nothing: the steps say what would be created
     */
    public function __construct(
        public ?int $keepDays = null,
        public DataMapping $data = DataMapping::Flattened,
        public bool $isDryRun = false,
    ) {}
}
