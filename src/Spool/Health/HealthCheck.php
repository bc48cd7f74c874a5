<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;

/**
 * One precondition of the buffer's promise. Checking changes nothing that lasts.
 *
 * @internal
 */
interface HealthCheck
{
    /** @return list<Finding> empty when all is well */
    public function findings(): array;
}
