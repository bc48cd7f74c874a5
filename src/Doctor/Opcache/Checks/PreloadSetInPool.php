<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PhpSetting;
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
            array_map($pool->settings->setting(...), self::SETTINGS),
            static fn (?PhpSetting $setting): bool => $setting?->isSet() === true,
        ));

        if ($set === []) {
            // ini_get() of a pool elsewhere shows the value, not whether php.ini or the pool sets it.
            return $pool->master->isSeen ? Finding::pass('this pool does not set it') : throw FactUnavailable::because(
                'The section of the pool can be read only on the machine where the pool runs.',
                $pool->dump('opcache.preload'),
            );
        }

        $value = $set[0]->value;
        $user = $pool->user();

        return Finding::warn(
            "The pool sets opcache.preload to {$value}, which preloads nothing.",
            [
                ...array_map(static fn (PhpSetting $setting): Evidence => $pool->evidence($setting->name), $set),
                self::preloaded($pool),
            ],
            'Requests load and link each class themselves, although the settings show otherwise.',
            new Fix(
                "Remove it from the pool. To preload, put opcache.preload={$value}"
                    .($user === null ? '' : " and opcache.preload_user={$user}")
                    .' into a file of php.ini and restart PHP-FPM: it applies to all of its pools.',
                array_merge(...array_map(
                    static fn (PhpSetting $setting): array => PoolEdit::removed($pool, $setting->name),
                    $set,
                )),
            ),
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

        $symbols = $runtime->preloaded->symbols ?? 0;

        return $runtime->observed('preloaded', match (true) {
            $runtime->opcache === null => "unknown: {$runtime->opcacheUnknown}",
            $symbols === 0 => 'nothing',
            default => "{$symbols} classes and functions, by php.ini",
        });
    }
}
