<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class OpenBasedir implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'O10',
            'PHP resolves every path anew in each request',
            Severity::Medium,
            Layer::Opcache,
            'PHP keeps what paths resolve to in a cache of each process. open_basedir switches it off:'
                .' each file that is included is looked up directory by directory, in each request.',
            'open_basedir is set in a process of the pool.',
            [
                'https://www.php.net/manual/en/ini.core.php#ini.realpath-cache-size',
                'https://symfony.com/doc/current/performance.html',
            ],
            10,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $runtime = $pool->runtime();
            $value = $runtime->ini('open_basedir')->value ?? '';
            $evidence = new Evidence('open_basedir', $value === '' ? 'not set' : $value, $runtime->source);

            if ($value === '') {
                return Finding::pass('it is not set', $evidence);
            }

            $edit = PoolEdit::to($pool->settings, 'php_admin_value[open_basedir]', '');

            return Finding::warn(
                'open_basedir is set.',
                [$evidence],
                'Each request asks the file system for each directory of each path.',
                new Fix(
                    'Where the pool runs as a user of its own, let the rights of files keep it in its place, and take'
                        .' open_basedir away.',
                    [$edit],
                    [$pool->reload()],
                    'Put the line back and reload PHP-FPM.',
                    'headroom doctor --only=O10',
                ),
            )->restingOn(Confidence::Observed);
        });
    }
}
