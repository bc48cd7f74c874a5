<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

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
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $names = ['php_admin_value[opcache.preload]', 'php_value[opcache.preload]'];
        $said = array_values(array_filter(
            array_map($pool->settings->setting(...), $names),
            static fn (?PhpSetting $setting): bool => $setting?->isSet() === true,
        ));

        if ($said === []) {
            // What a pool elsewhere is told nobody tells but ini_get(), which does not say by whom.
            return $pool->master->isSeen ? Finding::pass(
                'no pool may say it, and this one does not',
            ) : throw FactUnavailable::because(
                'Only where the pool runs is known what its section says.',
                $pool->dump('opcache.preload'),
            );
        }

        $edits = array_merge(
            ...array_map(
                static fn (PhpSetting $setting): array => PoolEdit::without($pool->settings, $setting->name),
                $said,
            ),
        );
        $value = $said[0]->value;
        $user = $pool->user();

        return Finding::warn(
            "The pool sets opcache.preload to {$value}, which preloads nothing.",
            [
                ...array_map(static fn (PhpSetting $setting): Evidence => $pool->evidence($setting->name), $said),
                self::preloaded($pool),
            ],
            'Requests load and link each class themselves, and who looks at the settings believes that'
                .' they do not.',
            new Fix(
                "Take it out of the pool. To preload, put opcache.preload={$value}"
                    .($user === null ? '' : " and opcache.preload_user={$user}")
                    .' into a file of php.ini and restart PHP-FPM: it holds for all of its pools.',
                $edits,
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
                'headroom doctor --only=O13',
            ),
        );
    }

    /** Of a pool that can not be asked its section says enough. */
    private static function preloaded(FpmPool $pool): Evidence
    {
        try {
            $runtime = $pool->runtime();
        } catch (FactUnavailable $e) {
            return new Evidence('preloaded', 'not known', $e->getMessage());
        }

        $symbols = $runtime->preloaded->symbols ?? 0;

        return new Evidence('preloaded', match (true) {
            $runtime->opcache === null => "not known: {$runtime->opcacheUnknown}",
            $symbols === 0 => 'nothing',
            default => "{$symbols} classes and functions, as php.ini says",
        }, $runtime->source);
    }
}
