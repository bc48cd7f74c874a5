<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A pure function of facts. It reads no file, asks no server and knows no clock.
 */
interface Check
{
    public function rule(): Rule;

    /**
     * @return list<Finding> one for each thing it is about; empty when there is none of them
     *
     * @throws FactUnavailable from the facts it asks for
     * @throws NotApplicable
     */
    public function examine(Facts $facts): array;
}
