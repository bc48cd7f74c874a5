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
            $runtime->evidence('opcache.max_accelerated_files'),
        ];

        if ($restarts === 0 && $keys < self::FULL_SHARE * $most) {
            return Finding::pass('opcache has free keys', ...$evidence);
        }

        $more = min(self::MOST_KEYS, max(self::LEAST_KEYS, 2 * $most));

        return Finding::fail(
            "{$keys} of {$most} keys are in use.",
            $evidence,
            'Files without a key are compiled again in each request.',
            new Fix(
                "Allow {$more} keys: opcache.max_accelerated_files={$more} in php.ini; a pool cannot set it.",
                [IniEdit::to($pool, 'opcache.max_accelerated_files', (string) $more)],
            ),
        )->observed();
    }
}
