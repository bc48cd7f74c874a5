<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;

/**
 * @internal
 */
final readonly class TimestampsChecked implements PoolCheck
{
    private const SETTING = 'opcache.validate_timestamps';

    /** With at least so many seconds between two checks of a file, they cost nothing. */
    private const RARE = 60;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $checks = $runtime->ini(self::SETTING) ?? throw UnreadableRuntime::noFigure($runtime->source, self::SETTING);
        $every = $runtime->ini('opcache.revalidate_freq');
        $evidence = [$runtime->evidence(self::SETTING), $runtime->evidence('opcache.revalidate_freq')];

        return $checks->truth() !== true || ($every?->integer() ?? 0) >= self::RARE
            ? Finding::pass('opcache does not check files in each request', ...$evidence)
            : Finding::warn(
                'Opcache checks its files for changes every '.($every->value ?? '2').' seconds.',
                $evidence,
                new Fix(changes: [PoolEdit::of($pool, 'php_admin_value['.self::SETTING.']', '0')]),
            );
    }
}
