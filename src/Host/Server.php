<?php

declare(strict_types=1);

namespace Headroom\Host;

use Headroom\Process\Stoppable;

/**
 * A private web server on a loopback port. It runs while the object exists: stop(), the object's destruction, the end
 * of the script and the death of the starting process all end it.
 *
 * @internal
 */
interface Server extends Stoppable
{
    /** Without a trailing slash, such as "http://127.0.0.1:23456". */
    public function url(): string;

    /**
     * The pids of the processes that run PHP now.
     *
     * @return list<int>
     */
    public function workerPids(): array;
}
