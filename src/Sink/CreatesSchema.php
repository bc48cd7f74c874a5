<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that can make what it writes into. Whatever somebody else has made there stays as it is.
 *
 * @internal
 */
interface CreatesSchema extends Sink
{
    /**
     * Asked again it makes nothing twice.
     *
     * @return list<SchemaStep> in the order in which they were taken
     *
     * @throws UnableToDeliver the server turned a step away, or gave no answer; those before it were taken
     */
    public function setUp(SchemaOptions $wish): array;
}
