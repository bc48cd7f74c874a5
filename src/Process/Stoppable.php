<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Something that was started and can be ended.
 *
 * @internal
 */
interface Stoppable
{
    /** Returns when every process is gone and the directory is removed. Calling it twice is allowed. In a fork of the process that started it, it does nothing. */
    public function stop(): void;
}
