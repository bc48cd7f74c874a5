<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Finding;

/**
 * A sink that can report what would keep it from taking events. Inspecting changes nothing.
 */
interface Inspectable
{
    /** @return list<Finding> empty when all is well */
    public function inspect(): array;
}
