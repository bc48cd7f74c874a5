<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A failure whose message ends with the next step for the events. The step does not apply to an event that becomes a
 * dead letter, so cause() returns the message without the step.
 *
 * @internal
 */
interface NamesCause extends UnableToDeliver
{
    public function cause(): string;
}
