<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink whose deliveries may lie in this machine's memory for a while. It is asked before the cursor of a bucket that is
 * to survive a power cut moves past them: the buffer's own copy may be gone by the time the power is.
 */
interface SyncsToDisk
{
    /**
     * Returns when all that was delivered so far is on disk.
     *
     * @throws UnableToDeliver it is not known to be; the last range comes again
     */
    public function sync(): void;
}
