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
final readonly class InternedStringsFull implements PoolCheck
{
    private const FREE = 0.05;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache;

        if ($status?->internedBufferBytes === null || $status->internedFreeBytes === null) {
            throw FactUnavailable::because(
                "opcache of the pool {$pool->name()} tells nothing of its strings.",
                'opcache_get_status() in a script of the pool',
            );
        }

        $evidence = [
            new Evidence(
                'free for strings',
                sprintf(
                    '%.1f of %.1f MB',
                    $status->internedFreeBytes / 1_048_576,
                    $status->internedBufferBytes / 1_048_576,
                ),
                $runtime->source,
            ),
            new Evidence(
                'opcache.interned_strings_buffer',
                $runtime->ini('opcache.interned_strings_buffer')->value ?? 'not told',
                $runtime->source,
            ),
        ];

        // What it tells of is without the table of them.
        $told = (int) ($runtime->ini('opcache.interned_strings_buffer')->value ?? 0);
        $more = max(32, 2 * $told, 2 * (int) round($status->internedBufferBytes / 1_048_576));

        return $status->internedFreeBytes >= self::FREE * $status->internedBufferBytes
            ? Finding::pass('there is room', ...$evidence)
            : Finding::fail(
                'There is no room for more strings.',
                $evidence,
                'Each process keeps what does not fit, and takes longer for it.',
                new Fix(
                    "Give it {$more} MB in php.ini: opcache.interned_strings_buffer={$more}."
                        .' It is read when PHP-FPM starts, and is part of opcache.memory_consumption.',
                    [IniEdit::to($pool, 'opcache.interned_strings_buffer', (string) $more)],
                    [$pool->restart()],
                    'Set it back and restart PHP-FPM.',
                    'headroom doctor --only=O4',
                ),
            )->restingOn(Confidence::Observed);
    }
}
