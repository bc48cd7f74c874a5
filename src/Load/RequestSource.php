<?php

declare(strict_types=1);

namespace Headroom\Load;

interface RequestSource
{
    /**
     * Called once per request, in order, when a user is free to send it. Must be quick:
     * nothing is sent or received meanwhile.
     *
     * @param int $number from 0
     * @return ?Request null when there are no more; it is not called again then
     */
    public function next(int $number): ?Request;
}
