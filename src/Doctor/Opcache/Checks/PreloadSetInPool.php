<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

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
final readonly class PreloadSetInPool implements PoolCheck
{
    private const SETTINGS = ['php_admin_value[opcache.preload]', 'php_value[opcache.preload]'];

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $set = array_values(array_filter(
            self::SETTINGS,
            static fn (string $name): bool => $pool->settings->setting($name)?->isSet() === true,
        ));

        if ($set === []) {
            // ini_get() of a pool elsewhere shows the value, not whether php.ini or the pool sets it.
            return $pool->master->isSeen ? Finding::pass('this pool does not set it') : throw FactUnavailable::because(
                'The section of the pool can be read only on the machine where the pool runs.',
                $pool->dump('opcache.preload'),
            );
        }

        return Finding::warn(
            "The pool sets opcache.preload to {$pool->settings->text($set[0])}, which preloads nothing.",
            [...array_map($pool->evidence(...), $set), self::preloaded($pool)],
            new Fix(changes: array_merge(...array_map(
                static fn (string $name): array => PoolEdit::removed($pool, $name),
                $set,
            ))),
        );
    }

    /** If the pool cannot be asked, its section is evidence enough. */
    private static function preloaded(FpmPool $pool): Evidence
    {
        try {
            $runtime = $pool->runtime();
        } catch (FactUnavailable $e) {
            return new Evidence('preloaded', 'unknown', $e->getMessage());
        }

        return $runtime->observed('preloaded', $runtime->preloads());
    }
}
