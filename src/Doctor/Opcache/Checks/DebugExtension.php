<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class DebugExtension implements PoolCheck
{
    private const SETTINGS = ['xdebug' => 'xdebug.mode', 'pcov' => 'pcov.enabled'];

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $on = [];

        foreach (self::SETTINGS as $extension => $setting) {
            $value = $runtime->ini($setting)->value ?? '';

            if ($runtime->hasExtension($extension) && ! in_array($value, ['', '0', 'off'], true)) {
                $on[] = $runtime->observed($setting, $value);
            }
        }

        return $on === [] ? Finding::pass('no debugger runs') : Finding::fail(
            'The processes of the pool have '.implode(
                ' and ',
                array_map(static fn (Evidence $seen): string => "{$seen->what} at {$seen->value}", $on),
            ).'.',
            $on,
            new Fix(
                commands: ['sudo phpdismod -s fpm xdebug pcov', $pool->reload()],
                rollback: 'Run `sudo phpenmod -s fpm xdebug`, then reload PHP-FPM.',
            ),
        )->observed();
    }
}
