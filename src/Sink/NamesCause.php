<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A failure whose message ends with the next step for the events. That step is no longer true once an event becomes a
 * dead letter, so cause() gives the message without it.
 *
 * @internal
 */
interface NamesCause extends UnableToDeliver
{
    public function cause(): string;
}
