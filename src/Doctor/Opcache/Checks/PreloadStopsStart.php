<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;

/**
 * @internal
 */
final readonly class PreloadStopsStart implements Check
{
    private const UNNOTICED = ' The running PHP-FPM does not notice the change.';

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

        $runsAs = new Evidence(
            'PHP-FPM runs as',
            $next->isRoot ? 'root' : 'another user',
            "ps -o user= -p {$pool->master->pid}",
        );
        $evidence = [...$next->ini->evidence(), $runsAs];
        // Root starts no pool without a user.
        $user = $pool->user() ?? 'www-data';

        return match (true) {
            $next->isThere() === false => Finding::fail(
                "opcache.preload is {$next->script->value}, and this file does not exist.",
                $evidence,
                new Fix(
                    'Create it with `headroom preload`, or remove the line.'.self::UNNOTICED,
                    // If one line stays, it applies.
                    array_map(static fn (array $line): Edit => Edit::remove(...$line), $next->lines),
                ),
            ),
            $next->lacksUser() => Finding::fail(
                $next->user === ''
                    ? 'root starts PHP-FPM, opcache.preload is set, and opcache.preload_user is not set.'
                    : "opcache.preload_user is {$next->user}, and this machine has no such user.",
                $evidence,
                new Fix(
                    "Let {$user} preload, the user of the pool {$pool->name()}.".self::UNNOTICED,
                    [PoolEdit::to($next->ini, 'opcache.preload_user', $user)],
                ),
            ),
            default => Finding::pass('no setting of preloading keeps PHP-FPM from starting', ...$evidence),
        };
    }
}
