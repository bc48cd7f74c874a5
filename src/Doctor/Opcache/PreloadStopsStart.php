<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\NextPreload;
use Headroom\Doctor\ManualChange;

/**
 * @internal
 */
final readonly class PreloadStopsStart implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(FpmPools::class)->eachMaster(self::finding(...));
    }

    /** @throws FactUnavailable */
    private static function finding(FpmPool $pool): Finding
    {
        $next = $pool->nextPreload();

        if ($next->script === null) {
            return Finding::skipped('php.ini preloads nothing');
        }

        $evidence = array_map(
            static fn (PhpSetting $setting): Evidence
                => new Evidence($setting->name, $setting->value, $setting->origin),
            array_values($next->ini->settings),
        );
        array_push(
            $evidence,
            new Evidence(
                'PHP-FPM runs as',
                $next->isRoot ? 'root' : 'another user',
                "ps -o user= -p {$pool->master->pid}",
            ),
        );

        return match (true) {
            $next->isThere() === false => self::gone($next, $evidence),
            $next->lacksUser() => self::withoutUser($pool, $next, $evidence),
            default => Finding::pass('nothing that it says of preloading keeps PHP-FPM from starting', ...$evidence),
        };
    }

    /** @param list<Evidence> $evidence */
    private static function gone(NextPreload $next, array $evidence): Finding
    {
        return self::failing(
            "opcache.preload is {$next->script?->value}, which is not there.",
            $evidence,
            'Make it with headroom preload, or take the line out.',
            // Without the last of them another would hold.
            ...array_map(static fn (array $line): Edit => Edit::remove(...$line), $next->lines),
        );
    }

    /** @param list<Evidence> $evidence */
    private static function withoutUser(FpmPool $pool, NextPreload $next, array $evidence): Finding
    {
        // FPM takes no pool without one from root.
        $user = $pool->user() ?? 'www-data';

        return self::failing(
            $next->user === ''
                ? 'opcache.preload is set, PHP-FPM is started by root, and opcache.preload_user is not set.'
                : "opcache.preload_user is {$next->user}, which is no user of this machine.",
            $evidence,
            "Let {$user} preload, whom the pool {$pool->name()} runs as.",
            PoolEdit::to($next->ini, 'opcache.preload_user', $user),
        );
    }

    /** @param list<Evidence> $evidence */
    private static function failing(
        string $message,
        array $evidence,
        string $text,
        Edit|ManualChange ...$changes,
    ): Finding {
        return Finding::fail(
            $message,
            $evidence,
            'PHP-FPM does not start again: the next restart is an outage.',
            new Fix(
                "{$text} What runs is not touched by it.",
                array_values($changes),
                [],
                'Put the line back.',
                'headroom doctor --only=O15',
            ),
        );
    }
}
