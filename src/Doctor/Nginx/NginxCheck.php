<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * A check of one nginx: the runner calls it for each that runs, and names it in the findings if there are several.
 *
 * @internal
 */
interface NginxCheck
{
    /**
     * @return iterable<Finding>
     *
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    public function examine(NginxServer $nginx, Facts $facts): iterable;
}
