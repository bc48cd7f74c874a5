<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\Address;

/**
 * Reads the PHP settings and opcache of a pool's workers.
 *
 * @internal
 */
interface RuntimeReader
{
    /** @throws FactUnavailable with the command that would tell */
    public function ask(Address $address): PoolRuntime;

    /**
     * @param list<string> $documentRoots document roots of nginx for this pool
     *
     * @throws FactUnavailable
     */
    public function roots(Address $address, array $documentRoots): ApplicationRoots;
}
