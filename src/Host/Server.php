<?php

declare(strict_types=1);

namespace Headroom\Host;

use Headroom\Process\Stoppable;

/**
 * A web server of our own on a loopback port. It is running as long as it can be referred to: stop() ends it, and so do
 * the loss of the object, the end of the script and the death of the process that started it.
 *
 * @internal
 */
interface Server extends Stoppable
{
    /** Without a trailing slash, such as "http://127.0.0.1:23456". */
    public function url(): string;

    /**
     * The processes that run PHP, as they are now.
     *
     * @return list<int>
     */
    public function workerPids(): array;
}
