<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedPhp implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $program = $pool->master->isElsewhere ? null : $pool->master->binary;
        $support = new EndOfSupport('php', 'PHP');
        $seen = new Evidence('PHP_VERSION', $runtime->phpVersion, $runtime->source);

        return $support->of($runtime->phpVersion, $seen, $support->packed($program, $facts), $facts);
    }
}
