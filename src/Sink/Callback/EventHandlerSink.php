<?php

declare(strict_types=1);

namespace Headroom\Sink\Callback;

use Headroom\Sink\Delivery;
use Headroom\Sink\Inspectable;
use Headroom\Sink\SingleEventSink;

/**
 * Passes each event to a handler of the application. Delivers at least once. After a kill, at most one event is sent
 * again.
 *
 * @internal
 */
final readonly class EventHandlerSink implements Inspectable, SingleEventSink
{
    public function __construct(private Handler $handler) {}

    public function deliver(Delivery $delivery): void
    {
        foreach ($delivery->batch as $record) {
            $this->handler->handle($record, $delivery);
        }
    }

    public function inspect(): array
    {
        return $this->handler->inspect();
    }
}
