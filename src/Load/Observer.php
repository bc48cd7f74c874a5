<?php

declare(strict_types=1);

namespace Headroom\Load;

interface Observer
{
    /**
     * Called once for each request that ended, in the order of their ends. A request that is unfinished at the end of
     * the run is not reported. It must be fast, because nothing is sent or received during the call.
     *
     * @param int $number of the request in its source
     */
    public function finished(int $number, Request $request, Response $response): void;
}
