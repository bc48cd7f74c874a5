<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class KeyTableFull implements PoolCheck
{
    /** PHP takes no more. */
    private const MOST = 1_000_000;

    private const FULL = 0.9;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );

        if ($status->cachedKeys === null || $status->maxCachedKeys === null) {
            throw FactUnavailable::because(
                "opcache of the pool {$pool->name()} does not tell its keys.",
                'opcache_get_status() in a script of the pool',
            );
        }

        $restarts = $status->hashRestarts ?? 0;
        $evidence = [
            new Evidence('keys', "{$status->cachedKeys} of {$status->maxCachedKeys}", $runtime->source),
            new Evidence('restarts for want of keys', (string) $restarts, $runtime->source),
            new Evidence(
                'opcache.max_accelerated_files',
                $runtime->ini('opcache.max_accelerated_files')->value ?? 'not told',
                $runtime->source,
            ),
        ];

        if ($restarts === 0 && $status->cachedKeys < self::FULL * $status->maxCachedKeys) {
            return Finding::pass('there is room', ...$evidence);
        }

        $more = min(self::MOST, max(20_000, 2 * $status->maxCachedKeys));

        return Finding::fail(
            "{$status->cachedKeys} of {$status->maxCachedKeys} keys are taken.",
            $evidence,
            'Files beyond them are compiled for each request.',
            new Fix(
                "Let it have {$more} in php.ini: opcache.max_accelerated_files={$more}."
                    .' It is read when PHP-FPM starts.',
                [IniEdit::to($pool, 'opcache.max_accelerated_files', (string) $more)],
                [$pool->restart()],
                'Set it back and restart PHP-FPM.',
                'headroom doctor --only=O3',
            ),
        )->restingOn(Confidence::Observed);
    }
}
