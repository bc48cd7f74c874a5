<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoot;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;

/**
 * @internal
 */
final readonly class SharedPreload implements Check
{
    private const SHOWN = 5;

    public function examine(Facts $facts): iterable
    {
        return $facts->get(FpmPools::class)
            ->eachMaster(static fn (FpmPool $pool): Finding => self::ofMaster($pool, $facts));
    }

    private static function ofMaster(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $symbols = $runtime->preloaded()->symbols ?? 0;

        if ($symbols === 0) {
            return Finding::skipped('nothing is preloaded');
        }

        $served = $facts->get(ServedApplications::class)->of($pool);
        $shown = array_slice($served, 0, self::SHOWN);
        $evidence = [
            $runtime->observed('preloaded', "{$symbols} classes and functions"),
            ...array_map(
                static fn (ApplicationRoot $root): Evidence => new Evidence('application', $root->path, $root->source),
                $shown,
            ),
        ];

        return (count($served) < 2 ? Finding::pass('the pool serves one application', ...$evidence) : Finding::fail(
            'The pool preloads, and serves '.count($served).' applications: '
                .implode(', ', array_column($shown, 'path')).'.',
            $evidence,
            new Fix(commands: [$pool->restart()], rollback: 'Set opcache.preload again, then restart PHP-FPM.'),
        ))->observed();
    }
}
