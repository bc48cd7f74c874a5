<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedPhp implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F16',
            'This version of PHP gets no security fixes any more',
            Severity::Medium,
            Layer::Fpm,
            'The maker publishes no more fixes for this version, so a fault that becomes known stays open.'
                .' A distribution goes on fixing the version that it ships until the distribution itself ends;'
                .' such a package is judged by the end of its distribution.',
            'The PHP of a pool is past its end of support, and it is not a package of a distribution that still'
                .' gets fixes.',
            EndOfSupport::sources('php'),
            240,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool) use ($facts): Finding {
            $runtime = $pool->runtime();
            $program = $pool->master->isElsewhere ? null : $pool->master->binary;
            $support = new EndOfSupport('php', 'PHP', 'F16');
            $seen = new Evidence('PHP_VERSION', $runtime->phpVersion, $runtime->source);

            return $support->of($runtime->phpVersion, $seen, $support->packed($program, $facts), $facts);
        });
    }
}
