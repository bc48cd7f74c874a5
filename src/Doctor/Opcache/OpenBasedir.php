<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
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
    }
}
