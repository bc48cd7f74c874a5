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
final readonly class OpcacheFull implements PoolCheck
{
    private const FREE = 0.1;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );
        $free = $status->freeBytes;
        $total = $free === null || $status->usedBytes === null
            ? null
            : $free + $status->usedBytes + ($status->wastedBytes ?? 0);
        $restarts = $status->oomRestarts ?? 0;
        $evidence = [
            new Evidence(
                'free',
                $free === null || $total === null
                    ? 'not told'
                    : sprintf('%.1f of %.1f MB', $free / 1_048_576, $total / 1_048_576),
                $runtime->source,
            ),
            new Evidence('restarts for want of memory', (string) $restarts, $runtime->source),
            new Evidence(
                'opcache.memory_consumption',
                $runtime->ini('opcache.memory_consumption')->value ?? 'not told',
                $runtime->source,
            ),
        ];

        // opcache also calls itself full when it has no key left, which check O3 tells: more memory would not help.
        $isFull = $status->isCacheFull === true
            && ($status->cachedKeys === null || $status->cachedKeys !== $status->maxCachedKeys);

        if ($restarts === 0 && ! $isFull && ($free === null || $total === null || $free >= self::FREE * $total)) {
            return Finding::pass('there is room', ...$evidence);
        }

        $megabytes = max(256, 2 * (int) round(($total ?? 0) / 1_048_576));

        return Finding::fail(
            $isFull
                ? 'opcache is full.'
                : ($restarts > 0
                    ? "opcache has emptied itself {$restarts} times for want of memory."
                    : 'Less than a tenth of its memory is free.'),
            $evidence,
            'Files that do not fit are compiled for each request.',
            new Fix(
                "Give it {$megabytes} MB in php.ini: opcache.memory_consumption={$megabytes}."
                    .' It is read when PHP-FPM starts, from php.ini and not from a pool.',
                [IniEdit::to($pool, 'opcache.memory_consumption', (string) $megabytes)],
                [$pool->restart()],
                'Set it back and restart PHP-FPM.',
                'headroom doctor --only=O2',
            ),
        )->restingOn(Confidence::Observed);
    }
}
