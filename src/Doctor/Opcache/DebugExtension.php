<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class DebugExtension implements Check
{
    private const EXTENSIONS = ['xdebug' => 'xdebug.mode', 'pcov' => 'pcov.enabled'];

    public function rule(): Rule
    {
        return new Rule(
            'O11',
            'A debugger watches each request',
            Severity::High,
            Layer::Opcache,
            'Xdebug and pcov hook into each call of a function. Even with nothing to do they switch off what makes PHP'
                .' fast, the JIT among it; with a mode other than off a request takes several times as long.',
            'A process of the pool has xdebug loaded with a mode other than off, or pcov that is enabled.',
            ['https://xdebug.org/docs/install#mode'],
            3,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
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
        });
    }
}
