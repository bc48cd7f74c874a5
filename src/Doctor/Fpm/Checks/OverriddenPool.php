<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class OverriddenPool implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $overridden = $pool->settings->ineffective();

        if ($overridden === []) {
            return Finding::pass('each setting of the pool is set once', $pool->evidence('pm.max_children'));
        }

        $evidence = [];

        foreach ($overridden as [$setting, $name]) {
            $source = "{$setting->origin}, without effect";
            array_push($evidence, new Evidence($setting->name, $setting->value, $source), $pool->evidence($name));
        }

        [$first, $name] = $overridden[0];
        $effective = $pool->evidence($name);
        $what = $name === $first->name ? 'it' : $name;

        return Finding::warn(
            "{$first->name} = {$first->value} in {$first->origin} has no effect: {$effective->source} sets {$what} to"
                ." {$effective->value}.",
            $evidence,
            new Fix(commands: [$pool->reload()], rollback: 'Restore the line, then run the same commands.'),
        );
    }
}
