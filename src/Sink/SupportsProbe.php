<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that can be asked whether it would take events now, out of their turn: an event that it refuses is to blame only
 * where it takes others.
 */
interface SupportsProbe extends Sink
{
    /**
     * Nothing counts as delivered by this: the same events come again in their turn, or came before. Where nothing can be
     * taken back they arrive, with the ids that they always have.
     *
     * @throws UnableToDeliver it would not take them
     */
    public function tryOut(Delivery $delivery): void;
}
