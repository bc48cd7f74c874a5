<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that can say whether it would take events now, ahead of their turn. An event that it rejects is at fault only
 * if the sink takes other events.
 */
interface SupportsProbe extends Sink
{
    /**
     * Does not count as a delivery: the same events come again in their turn, or have come before. A sink that cannot
     * roll back stores them, with their usual ids.
     *
     * @throws UnableToDeliver the sink would reject the events
     */
    public function probe(Delivery $delivery): void;
}
