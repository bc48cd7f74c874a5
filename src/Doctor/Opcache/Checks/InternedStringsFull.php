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
        $free = $runtime->opcache->internedFreeBytes ?? null;
        $size = $runtime->opcache->internedBufferBytes ?? null;

        if ($free === null || $size === null) {
            throw UnreadableRuntime::noFigure($runtime->source, 'its interned strings');
        }

        $evidence = [
            $runtime->observed('free for strings', OpcacheStatus::megabytes($free, $size)),
            $runtime->evidence(self::SETTING),
        ];
        // The reported size leaves out the hash table of the strings, so it is below the setting.
        $configured = (int) ($runtime->ini(self::SETTING)->value ?? 0);
        $more = max(self::LEAST_MEGABYTES, 2 * $configured, 2 * (int) round($size / 1_048_576));

        return $free >= self::FREE * $size
            ? Finding::pass('opcache has free memory for strings', ...$evidence)
            : Finding::fail(
                'There is no memory for more strings.',
                $evidence,
                new Fix(changes: [IniEdit::to($pool, self::SETTING, (string) $more)]),
            )->observed();
    }
}
