<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class LowHitRate implements PoolCheck
{
    private const PERCENT = 99.0;

    /** With fewer lookups an application is not warm. */
    private const LEAST_LOOKUPS = 10_000;

    /**
     * In seconds: by then each process has looked, and no file is so young that opcache leaves it out
     * (opcache.file_update_protection).
     */
    private const WARM_SECONDS = 60;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcacheStatus();
        $misses = $status->misses ?? 0;
        $lookups = ($status->hits ?? 0) + $misses;
        $evidence = [
            $runtime->observed('lookups that missed', "{$misses} of {$lookups}"),
            $runtime->observed('cached files', (string) ($status->cachedScripts ?? 0)),
        ];
        $most = (1 - self::PERCENT / 100) * $lookups;
        // Even in a healthy pool the first lookup of a file misses, in each process until one has compiled it.
        $again = $lookups < self::LEAST_LOOKUPS || $misses <= $most
            ? 0
            : $misses - ($status->cachedScripts ?? 0) * max(1, $pool->integer('pm.max_children'));

        return match (true) {
            $again <= $most => Finding::pass('opcache finds its files', ...$evidence),
            $status->ageSeconds !== null && $status->ageSeconds < self::WARM_SECONDS => Finding::skipped(
                "opcache started {$status->ageSeconds} s ago, and is not warm: {$misses} of {$lookups} lookups missed",
            ),
            default => Finding::warn(
                sprintf(
                    '%.1f %% of its lookups missed, not counting the first one of each process for each file.',
                    100 * $again / $lookups,
                ),
                $evidence,
            )->observed(),
        };
    }
}
