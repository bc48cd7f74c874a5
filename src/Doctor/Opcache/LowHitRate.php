<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class LowHitRate implements PoolCheck
{
    private const PERCENT = 99.0;

    /** Before that an application is warming up. */
    private const LOOKUPS = 10_000;

    /**
     * In seconds: by then each process has looked, and no file is so young that opcache leaves it out
     * (opcache.file_update_protection).
     */
    private const WARM = 60;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );
        $misses = $status->misses ?? 0;
        $lookups = ($status->hits ?? 0) + $misses;
        $evidence = [
            new Evidence('lookups that missed', "{$misses} of {$lookups}", $runtime->source),
            new Evidence('files in it', (string) ($status->cachedScripts ?? 0), $runtime->source),
        ];

        if ($lookups < self::LOOKUPS || self::found($misses, $lookups) >= self::PERCENT) {
            return Finding::pass('it finds what it should', ...$evidence);
        }

        // The first look for a file finds nothing, on the healthiest pool, and so do those of
        // others until it is compiled.
        $first = ($status->cachedScripts ?? 0) * max(1, $pool->integer('pm.max_children'));
        $percent = self::found(max(0, $misses - $first), $lookups);

        if ($percent >= self::PERCENT) {
            return Finding::pass('it finds what it should', ...$evidence);
        }

        if ($status->ageSeconds !== null && $status->ageSeconds < self::WARM) {
            return Finding::skipped(
                "opcache began {$status->ageSeconds} s ago: {$misses} of {$lookups} lookups missed, and until it is"
                    .' warm that says nothing',
            );
        }

        return Finding::warn(
            sprintf(
                '%.1f %% of its lookups found nothing, not counting the first of each process for each file.',
                100 - $percent,
            ),
            $evidence,
            'Files are compiled that were compiled before.',
            new Fix(
                'Look at checks O2 and O3 first. A deploy reloads PHP-FPM once and resets nothing.',
                [],
                [],
                'Nothing was changed.',
                'headroom doctor --only=O7',
            ),
        )->restingOn(Confidence::Observed);
    }

    /** @return float percent */
    private static function found(int $misses, int $lookups): float
    {
        return 100 * (1 - $misses / $lookups);
    }
}
