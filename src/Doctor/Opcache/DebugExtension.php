<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
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
    private const EXTENSIONS = ['xdebug' => 'xdebug.mode', 'pcov' => 'pcov.enabled'];

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $evidence = [];

        foreach (self::EXTENSIONS as $extension => $setting) {
            $value = $runtime->ini($setting)->value ?? '';

            if ($runtime->hasExtension($extension) && ! in_array($value, ['', '0', 'off'], true)) {
                $evidence[] = new Evidence($setting, $value, $runtime->source);
            }
        }

        return $evidence === [] ? Finding::pass('no debugger is at work') : Finding::fail(
            'Its processes have '
                .implode(
                    ' and ',
                    array_map(static fn (Evidence $seen): string => "{$seen->what} at {$seen->value}", $evidence),
                )
                .'.',
            $evidence,
            'Each request takes a multiple of its CPU time.',
            new Fix(
                'Take the extension out of PHP-FPM.',
                [],
                ['sudo phpdismod -s fpm xdebug pcov', $pool->reload()],
                'sudo phpenmod -s fpm xdebug',
                'headroom doctor --only=O11',
            ),
        )->restingOn(Confidence::Observed);
    }
}
