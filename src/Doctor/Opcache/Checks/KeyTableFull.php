<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;

/**
 * @internal
 */
final readonly class KeyTableFull implements PoolCheck
{
    private const SETTING = 'opcache.max_accelerated_files';

    /** PHP takes no higher value. */
    private const MOST_KEYS = 1_000_000;

    private const LEAST_KEYS = 20_000;

    private const FULL_SHARE = 0.9;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcacheStatus();
        $keys = $status->cachedKeys ?? throw UnreadableRuntime::noFigure($runtime->source, 'its keys');
        $most = $status->maxCachedKeys ?? throw UnreadableRuntime::noFigure($runtime->source, 'its key table');
        $restarts = $status->hashRestarts ?? 0;
        $evidence = [
            $runtime->observed('keys', "{$keys} of {$most}"),
            $runtime->observed('restarts without a free key', (string) $restarts),
            $runtime->evidence(self::SETTING),
        ];
        $more = min(self::MOST_KEYS, max(self::LEAST_KEYS, 2 * $most));

        return $restarts === 0 && $keys < self::FULL_SHARE * $most
            ? Finding::pass('opcache has free keys', ...$evidence)
            : Finding::fail(
                "{$keys} of {$most} keys are in use.",
                $evidence,
                new Fix(changes: [IniEdit::to($pool, self::SETTING, (string) $more)]),
            )->observed();
    }
}
