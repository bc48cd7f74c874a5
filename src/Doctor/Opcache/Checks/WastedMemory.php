<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;

/**
 * @internal
 */
final readonly class WastedMemory implements PoolCheck
{
    private const DEFAULT_PERCENT = 5.0;

    private const MOST_RESETS = 10;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcacheStatus();
        $wasted = $status->wastedPercent ?? throw UnreadableRuntime::noFigure($runtime->source, 'its wasted memory');
        $allowed = $runtime->ini('opcache.max_wasted_percentage')?->value;
        $allowed = is_numeric($allowed) ? 100 * (float) $allowed : self::DEFAULT_PERCENT;
        $resets = $status->manualRestarts ?? 0;
        $isReset = $resets > self::MOST_RESETS;
        $evidence = [
            $runtime->observed('wasted', sprintf('%.1f %%', $wasted)),
            $runtime->observed('opcache.max_wasted_percentage', sprintf('%.0f %%', $allowed)),
            $runtime->observed('manual resets', (string) $resets),
        ];

        return ($wasted <= $allowed && ! $isReset
            ? Finding::pass('opcache wastes little memory', ...$evidence)
            : Finding::warn(
                $isReset
                    ? "Opcache was reset {$resets} times."
                    : sprintf('%.1f %% of the memory of opcache is wasted.', $wasted),
                $evidence,
                new Fix(commands: [$pool->reload()]),
            ))->observed();
    }
}
