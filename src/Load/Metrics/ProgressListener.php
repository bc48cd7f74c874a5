<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

interface ProgressListener
{
    /** Called twice a second. It must be fast, because nothing is sent or received during the call. */
    public function progressed(Progress $progress): void;
}
