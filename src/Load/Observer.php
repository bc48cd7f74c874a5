<?php

declare(strict_types=1);

namespace Headroom\Load;

interface Observer
{
    /**
     * Called once for every request that ended, in the order of their ends, never for one that was given up.
     *
     * @param int $number as the source was asked for it
     */
    public function finished(int $number, Request $request, Response $response): void;
}
