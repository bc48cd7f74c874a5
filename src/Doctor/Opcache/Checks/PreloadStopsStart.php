<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\ManualChange;

/**
 * @internal
 */
final readonly class PreloadStopsStart implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(FpmPools::class)->eachMaster(self::ofMaster(...));
    }

    private static function ofMaster(FpmPool $pool): Finding
    {
        $next = $pool->nextPreload();

        if ($next->script === null) {
            return Finding::skipped('php.ini preloads nothing');
        }

        $evidence = [
            ...array_map(
                static fn (PhpSetting $setting): Evidence
                    => new Evidence($setting->name, $setting->value, $setting->origin),
                array_values($next->ini->settings),
            ),
            new Evidence(
                'PHP-FPM runs as',
                $next->isRoot ? 'root' : 'another user',
                "ps -o user= -p {$pool->master->pid}",
            ),
        ];
        // Root starts no pool without a user.
        $user = $pool->user() ?? 'www-data';

        return match (true) {
            $next->isThere() === false => self::failing(
                "opcache.preload is {$next->script->value}, and this file does not exist.",
                $evidence,
                'Create it with `headroom preload`, or remove the line.',
                // If one line stays, it applies.
                ...array_map(static fn (array $line): Edit => Edit::remove(...$line), $next->lines),
            ),
            $next->lacksUser() => self::failing(
                $next->user === ''
                    ? 'root starts PHP-FPM, opcache.preload is set, and opcache.preload_user is not set.'
                    : "opcache.preload_user is {$next->user}, and this machine has no such user.",
                $evidence,
                "Let {$user} preload, the user of the pool {$pool->name()}.",
                PoolEdit::to($next->ini, 'opcache.preload_user', $user),
            ),
            default => Finding::pass('no setting of preloading keeps PHP-FPM from starting', ...$evidence),
        };
    }

    /** @param list<Evidence> $evidence */
    private static function failing(
        string $message,
        array $evidence,
        string $fix,
        Edit|ManualChange ...$changes,
    ): Finding {
        return Finding::fail(
            $message,
            $evidence,
            'PHP-FPM does not start again: the next restart is an outage.',
            new Fix("{$fix} The running PHP-FPM does not notice the change.", array_values($changes)),
        );
    }
}
