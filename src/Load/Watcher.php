<?php

declare(strict_types=1);

namespace Headroom\Load;

interface Watcher
{
    /** Called twice a second. Must be quick: nothing is sent or received meanwhile. */
    public function watch(Progress $progress): void;
}
