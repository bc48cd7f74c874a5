<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A fact that may be known in part: one pool of several, one file of a configuration.
 *
 * @internal
 */
interface PartialFact
{
    /** @return array<string, FactUnavailable> why a part could not be read, by the name of the part */
    public function unread(): array;
}
