<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class OpenBasedir implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $value = $runtime->ini('open_basedir')->value ?? '';
        $evidence = $runtime->observed('open_basedir', $value === '' ? 'not set' : $value);

        return $value === '' ? Finding::pass('open_basedir is not set', $evidence) : Finding::warn(
            'open_basedir is set.',
            [$evidence],
            new Fix(changes: [PoolEdit::of($pool, 'php_admin_value[open_basedir]', '')]),
        )->observed();
    }
}
