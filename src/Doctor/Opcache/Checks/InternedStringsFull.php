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
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;

/**
 * @internal
 */
final readonly class InternedStringsFull implements PoolCheck
{
    private const SETTING = 'opcache.interned_strings_buffer';

    private const FREE = 0.05;

    private const LEAST_MEGABYTES = 32;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache;
        $free = $status->internedFreeBytes ?? null;
        $size = $status->internedBufferBytes ?? null;

        if ($free === null || $size === null) {
            throw UnreadableRuntime::noFigure($runtime->source, 'its interned strings');
        }

        $evidence = [
            $runtime->observed('free for strings', OpcacheStatus::megabytes($free, $size)),
            $runtime->evidence(self::SETTING),
        ];

        if ($free >= self::FREE * $size) {
            return Finding::pass('opcache has free memory for strings', ...$evidence);
        }

        // The reported size leaves out the hash table of the strings, so it is below the setting.
        $configured = (int) ($runtime->ini(self::SETTING)->value ?? 0);
        $more = max(self::LEAST_MEGABYTES, 2 * $configured, 2 * (int) round($size / 1_048_576));

        return Finding::fail(
            'There is no memory for more strings.',
            $evidence,
            'Each process allocates the strings that do not fit in its own memory, in each request.',
            new Fix(
                "Give it {$more} MB: ".self::SETTING."={$more} in php.ini. It is part of opcache.memory_consumption.",
                [IniEdit::to($pool, self::SETTING, (string) $more)],
            ),
        )->observed();
    }
}
