<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Versions\EndOfLifeAssessment;

/**
 * @internal
 */
final readonly class UnsupportedPhp implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $support = new EndOfLifeAssessment('php', 'PHP');

        return $support->of(
            $runtime->phpVersion,
            $runtime->observed('PHP_VERSION', $runtime->phpVersion),
            $support->packed($pool->master->isElsewhere ? null : $pool->master->binary, $facts),
            $facts,
        );
    }
}
