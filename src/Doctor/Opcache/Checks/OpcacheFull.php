<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\OpcacheStatus;

/**
 * @internal
 */
final readonly class OpcacheFull implements PoolCheck
{
    private const SETTING = 'opcache.memory_consumption';

    private const FREE = 0.1;

    private const LEAST_MEGABYTES = 256;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcacheStatus();
        $free = $status->freeBytes;
        $total = $status->totalBytes();
        $restarts = $status->oomRestarts ?? 0;
        $isKnown = $free !== null && $total !== null;
        $evidence = [
            $runtime->observed('free', $isKnown ? OpcacheStatus::megabytes($free, $total) : 'unknown'),
            $runtime->observed('restarts without free memory', (string) $restarts),
            $runtime->evidence(self::SETTING),
        ];
        // opcache also reports that it is full when it has no free key, which is check O3: memory would not help.
        $isFull = $status->isCacheFull === true
            && ($status->cachedKeys === null || $status->cachedKeys !== $status->maxCachedKeys);
        $isLow = $isKnown && $free < self::FREE * $total;
        $megabytes = max(self::LEAST_MEGABYTES, 2 * (int) round(($total ?? 0) / 1_048_576));

        return $restarts === 0 && ! $isFull && ! $isLow
            ? Finding::pass('opcache has free memory', ...$evidence)
            : Finding::fail(
                match (true) {
                    $isFull => 'opcache is full.',
                    $restarts > 0 => "opcache has restarted empty {$restarts} times because it had no free memory.",
                    default => 'Less than a tenth of its memory is free.',
                },
                $evidence,
                new Fix(changes: [IniEdit::to($pool, self::SETTING, (string) $megabytes)]),
            )->observed();
    }
}
