<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that can create its destination, such as a table or an index. It never changes an object that it did not
 * create.
 *
 * @internal
 */
interface CreatesSchema extends Sink
{
    /**
     * Creates the missing objects. A second call finds them and creates nothing.
     *
     * @return list<SchemaStep> in the order in which the steps were taken
     *
     * @throws UnableToDeliver the server rejected a step or did not answer; the steps before it were taken
     */
    public function setUp(SchemaOptions $wish): array;
}
