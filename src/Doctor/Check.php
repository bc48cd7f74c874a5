<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A pure function of facts: it reads no file, asks no server and knows no clock.
 */
interface Check
{
    /**
     * @return iterable<Finding> one for each thing that it examines; none if there is no such thing
     *
     * @throws FactUnavailable from the facts that it asks for
     * @throws NotApplicable
     */
    public function examine(Facts $facts): iterable;
}
