<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class TimestampsChecked implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $checks = $runtime->ini('opcache.validate_timestamps') ?? throw FactUnavailable::because(
            "The pool {$pool->name()} does not tell opcache.validate_timestamps.",
            'php-fpm -i | grep validate_timestamps',
        );
        $every = $runtime->ini('opcache.revalidate_freq');
        $evidence = [
            new Evidence('opcache.validate_timestamps', $checks->value, $runtime->source),
            new Evidence('opcache.revalidate_freq', $every->value ?? 'not told', $runtime->source),
        ];

        return $checks->truth() !== true || ($every?->integer() ?? 0) >= 60
            ? Finding::pass('it does not look each time', ...$evidence)
            : Finding::warn(
                'It looks whether files have changed, every '.($every->value ?? '2').' seconds.',
                $evidence,
                'Each request asks the file system for hundreds of files.',
                new Fix(
                    'Switch it off, and reload PHP-FPM with each deploy.',
                    [PoolEdit::to($pool->settings, 'php_admin_value[opcache.validate_timestamps]', '0')],
                    [$pool->reload()],
                    'Take the line back and reload PHP-FPM.',
                    'headroom doctor --only=O5',
                ),
            );
    }
}
