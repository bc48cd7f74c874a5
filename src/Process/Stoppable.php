<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * A started process or server that can be stopped.
 *
 * @internal
 */
interface Stoppable
{
    /**
     * Returns when every process has ended and the directory is removed. You may call it twice. In a fork of the
     * process that started it, it does nothing.
     */
    public function stop(): void;
}
