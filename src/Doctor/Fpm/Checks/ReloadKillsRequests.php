<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;

/**
 * @internal
 */
final readonly class ReloadKillsRequests implements Check
{
    private const SETTING = 'process_control_timeout';

    private const ADVISED = '20s';

    public function examine(Facts $facts): iterable
    {
        $pools = $facts->get(FpmPools::class);
        $masters = $pools->ofEachMaster();
        $isOnly = count($masters) === 1 && $pools->unread() === [];

        foreach ($masters as $pool) {
            yield Finding::from(static fn (): Finding => self::ofMaster($pool))->about(match (true) {
                $isOnly => '',
                $pool->master->isSeen => $pool->master->configFile,
                default => $pool->master->key,
            })->aboutPartOf(FpmPools::class);
        }
    }

    private static function ofMaster(FpmPool $pool): Finding
    {
        $set = $pool->global->setting(self::SETTING);
        $seconds = $set?->seconds() ?? throw FactUnavailable::because(
            $set === null
                ? 'PHP-FPM does not report '.self::SETTING.'.'
                : self::SETTING." is '{$set->value}', which is not a time.",
            $pool->dump(),
        );
        $evidence = new Evidence(self::SETTING, $set->value, $set->origin);

        return $seconds > 0 ? Finding::pass('a reload waits for requests in progress', $evidence) : Finding::warn(
            'A reload does not wait for requests in progress.',
            [$evidence],
            new Fix(changes: [PoolEdit::ofMaster($pool, self::SETTING, self::ADVISED)]),
        );
    }
}
