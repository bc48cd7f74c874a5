<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

use Headroom\Host\Fpm\Address;

/**
 * Asks a pool about the PHP that its workers run.
 *
 * @internal
 */
interface Runtime
{
    /** @throws UnreadableRuntime with the command that would tell */
    public function ask(Address $address): PoolRuntime;
}
