<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * A check of one Redis server: the runner calls it for each server that answers, and its findings name the server.
 *
 * @internal
 */
interface RedisCheck
{
    /**
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    public function examine(RedisServer $server, Facts $facts): Finding;
}
