<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Closure;
use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\MemoryClaim;
use Headroom\Doctor\Fpm\MemoryClaims;
use Headroom\Doctor\Fpm\MemoryLimit;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\ManualChange;

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
        $findings = [];

        foreach ($masters as $one) {
            $own = array_filter(
                $pools->pools,
                static fn (FpmPool $pool): bool => $pool->master->key === $one->master->key,
            );

            if (count($own) > 1) {
                $findings[] = self::ofPools($own, static fn (): MemoryLimit => MemoryLimit::of($one, $machine))
                    ->about("PHP-FPM of {$one->master->configFile}");
            }
        }

        $problems = array_filter($findings, static fn (Finding $one): bool => $one->status->isProblem());

        return count($masters) < 2 || $problems !== [] ? $findings : [
            ...$findings,
            self::ofPools($pools->pools, static fn (): MemoryLimit => MemoryLimit::ofMachine($machine))
                ->about('all PHP-FPMs'),
        ];
    }

    /**
     * @param array<FpmPool> $pools that share a memory
     * @param Closure(): MemoryLimit $limit
     */
    private static function ofPools(array $pools, Closure $limit): Finding
    {
        return Finding::from(static function () use ($pools, $limit): Finding {
            $memory = $limit();
            $claims = MemoryClaims::of(...array_values($pools));
            $most = self::SHARE * $memory->bytes;
            $evidence = [$memory->evidence(), ...$claims->evidence()];

            return match (true) {
                $claims->poolAbove($most) !== null => Finding::pass(
                    "the pool {$claims->poolAbove($most)} alone is too large: see check F1",
                    ...$evidence,
                ),
                $claims->sum() > $most => Finding::warn(
                    'Together they may use '.MemoryLimit::megabytes($claims->sum()).' of '
                        .MemoryLimit::megabytes($memory->bytes).'.',
                    $evidence,
                    'When all pools are busy at the same time, the machine swaps or the kernel kills processes.',
                    self::fix($claims, self::ADVISED * $memory->bytes),
                )->observed(),
                $claims->unmeasured !== [] => throw FactUnavailable::because(
                    'These pools have no process to measure now: '.implode(', ', $claims->unmeasured).'.',
                    'sudo cat /proc/PID/smaps_rollup   # of a process of each pool that has served requests',
                ),
                default => Finding::pass('there is memory for all of them', ...$evidence)->observed(),
            };
        });
    }

    private static function fix(MemoryClaims $claims, float $bytes): Fix
    {
        return new Fix(
            'Limit them together, so that the pool that asks first gets a process. Then lower pm.max_children of the'
                .' pools that can wait.',
            // Each PHP-FPM keeps its share.
            array_map(static fn (MemoryClaim $claim): Edit|ManualChange => PoolEdit::ofMaster(
                $claim->pool,
                'process.max',
                (string) $claim->processesIn($bytes * $claim->bytes() / $claims->sum()),
            ), $claims->claims),
        );
    }
}
