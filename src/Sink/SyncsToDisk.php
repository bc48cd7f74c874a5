<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink whose deliveries may stay in this machine's memory for a while. For a bucket that survives power loss, the
 * flusher calls sync() before it moves the cursor, because the buffer may delete its copy after that.
 */
interface SyncsToDisk
{
    /**
     * Returns when all earlier deliveries are on disk.
     *
     * @throws UnableToDeliver the deliveries may not be on disk; the flusher sends the last range again
     */
    public function sync(): void;
}
