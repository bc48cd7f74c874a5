<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Finding;

/**
 * A sink that can report what prevents it from taking events. Inspecting changes nothing, so it may be repeated.
 */
interface Inspectable
{
    /** @return list<Finding> empty if there is no problem */
    public function inspect(): array;
}
