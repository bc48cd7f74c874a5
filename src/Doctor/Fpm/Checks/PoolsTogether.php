<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\MemoryClaims;
use Headroom\Doctor\Fpm\MemoryLimit;
use Headroom\Doctor\Kernel\MachineMemory;

/**
 * @internal
 */
final readonly class PoolsTogether implements Check
{
    private const SHARE = 0.8;

    private const ADVISED = 0.6;

    public function examine(Facts $facts): iterable
    {
        $pools = $facts->get(FpmPools::class);
        $machine = $facts->get(MachineMemory::class);
        $masters = $pools->ofEachMaster();
        $isFault = false;

        foreach ($masters as $master) {
            $own = $pools->of($master->master);

            if (count($own) > 1) {
                $finding = Finding::from(static fn (): Finding => self::ofPools(
                    $own,
                    MemoryLimit::of($master, $machine),
                ));
                $isFault = $isFault || $finding->status->isProblem();
                yield $finding->about("PHP-FPM of {$master->master->configFile}");
            }
        }

        if (count($masters) > 1 && ! $isFault) {
            yield Finding::from(
                static fn (): Finding => self::ofPools($pools->pools, MemoryLimit::ofMachine($machine)),
            )->about('all PHP-FPMs');
        }
    }

    /** @param list<FpmPool> $pools that share a memory */
    private static function ofPools(array $pools, MemoryLimit $memory): Finding
    {
        $claims = MemoryClaims::of(...$pools);
        $large = $claims->poolAbove(self::SHARE * $memory->bytes);
        $evidence = [$memory->evidence(), ...$claims->evidence()];

        return match (true) {
            $large !== null => Finding::pass("the pool {$large} alone is too large: see check F1", ...$evidence),
            $claims->sum() > self::SHARE * $memory->bytes => Finding::warn(
                'Together they may use '.MemoryLimit::megabytes($claims->sum()).' of '
                    .MemoryLimit::megabytes($memory->bytes).'.',
                $evidence,
                new Fix(changes: $claims->limited(self::ADVISED * $memory->bytes)),
            )->observed(),
            $claims->unmeasured !== [] => throw FactUnavailable::because(
                'These pools have no process to measure now: '.implode(', ', $claims->unmeasured).'.',
                'sudo cat /proc/PID/smaps_rollup   # of a process of each pool that has served requests',
            ),
            default => Finding::pass('there is memory for all of them', ...$evidence)->observed(),
        };
    }
}
