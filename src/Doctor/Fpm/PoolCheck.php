<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * A check of one pool: the runner calls it for each pool of each PHP-FPM, and its findings name the pool.
 *
 * @internal
 */
interface PoolCheck
{
    /**
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    public function examine(FpmPool $pool, Facts $facts): Finding;
}
