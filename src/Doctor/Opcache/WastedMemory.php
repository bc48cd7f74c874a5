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
final readonly class WastedMemory implements PoolCheck
{
    /** What holds where the pool does not tell. */
    private const PERCENT = 5.0;

    private const RESETS = 10;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );
        $wasted = $status->wastedPercent ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} does not tell what is wasted.",
            'opcache_get_status() in a script of the pool',
        );
        $most = $runtime->ini('opcache.max_wasted_percentage')?->value;
        $most = is_numeric($most) ? 100 * (float) $most : self::PERCENT;
        $resets = $status->manualRestarts ?? 0;
        $evidence = [
            new Evidence('wasted', sprintf('%.1f %%', $wasted), $runtime->source),
            new Evidence('opcache.max_wasted_percentage', sprintf('%.0f %%', $most), $runtime->source),
            new Evidence('resets by hand', (string) $resets, $runtime->source),
        ];

        return $wasted <= $most && $resets <= self::RESETS
            ? Finding::pass('it holds what is used', ...$evidence)->restingOn(Confidence::Observed)
            : Finding::warn(
                $resets > self::RESETS
                    ? "It was reset {$resets} times."
                    : sprintf('%.1f %% of its memory is wasted.', $wasted),
                $evidence,
                $resets > self::RESETS
                    ? 'After each reset all requests compile all files again.'
                    : 'Once its memory is full it empties itself, and all requests compile all files again.',
                new Fix(
                    'Reload PHP-FPM, now and with each deploy, and have no deploy change files in place or call'
                        .' opcache_reset(): a reload empties it between two requests of a process.',
                    [],
                    [$pool->reload()],
                    'Nothing was changed.',
                    'headroom doctor --only=O6',
                ),
            )->restingOn(Confidence::Observed);
    }
}
