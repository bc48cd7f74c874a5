<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * Its message ends with what becomes of the events. Of one that becomes a dead letter that is not so any more.
 *
 * @internal
 */
interface NamesCause extends UnableToDeliver
{
    public function cause(): string;
}
