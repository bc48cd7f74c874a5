<?php

declare(strict_types=1);

namespace Headroom\Load;

interface RequestSource
{
    /**
     * Called once for each request, in order, when a virtual user is free to send it. It must be fast, because nothing
     * is sent or received during the call.
     *
     * @param int $number from 0
     * @return ?Request null if there are no more; then it is not called again
     */
    public function next(int $number): ?Request;
}
