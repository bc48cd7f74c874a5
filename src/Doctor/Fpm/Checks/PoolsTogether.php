<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Closure;
use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\MemoryClaim;
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
            $own = array_values(array_filter(
                $pools->pools,
                static fn (FpmPool $pool): bool => $pool->master->key === $one->master->key,
            ));

            if (count($own) > 1) {
                $findings[] = self::judged($own, static fn (): Evidence => self::memory($one, $machine))
                    ->about("PHP-FPM of {$one->master->configFile}");
            }
        }

        $hasProblem = array_filter($findings, static fn (Finding $one): bool => $one->status->isProblem()) !== [];

        return $pools->pools === [] || count($masters) < 2 || $hasProblem ? $findings : [
            ...$findings,
            self::judged(
                $pools->pools,
                static fn (): Evidence => new Evidence('memory', (string) $machine->totalBytes, $machine->source),
            )->about('all PHP-FPMs'),
        ];
    }

    /**
     * @param non-empty-list<FpmPool> $pools that share a memory
     * @param Closure(): Evidence $memory in bytes
     */
    private static function judged(array $pools, Closure $memory): Finding
    {
        try {
            return self::ofPools($pools, $memory());
        } catch (FactUnavailable $e) {
            return Finding::unavailable($e);
        }
    }

    private static function memory(FpmPool $one, MachineMemory $machine): Evidence
    {
        $limit = $one->group()->memoryBytes;

        return $limit === null || $limit > $machine->totalBytes
            ? new Evidence('memory', (string) $machine->totalBytes, $machine->source)
            : new Evidence('memory', (string) $limit, (string) $one->group()->memorySource);
    }

    /** @param non-empty-list<FpmPool> $pools */
    private static function ofPools(array $pools, Evidence $memory): Finding
    {
        $most = (int) $memory->value;
        $evidence = [new Evidence($memory->what, self::megabytes($most), $memory->source)];
        $claims = [];
        $unmeasured = [];

        foreach ($pools as $pool) {
            $claim = $claims[$pool->master->key] ??= new MemoryClaim($pool);
            $mean = $pool->memory()->meanPssBytes();
            $children = max(0, $pool->integer('pm.max_children'));
            $evidence[] = new Evidence(
                $pool->name(),
                $mean === null ? "{$children} x not measured" : "{$children} x ".self::megabytes($mean),
                '/proc/PID/smaps_rollup',
            );

            if ($mean === null) {
                $unmeasured[] = $pool->name();
            } elseif ($children * $mean > self::SHARE * $most) {
                return Finding::pass("the pool {$pool->name()} alone is too large: check F1", ...$evidence);
            }

            $claims[$pool->master->key] = $mean === null ? $claim->without() : $claim->with($children, $mean);
        }

        $claims = array_values($claims);
        array_push($evidence, ...array_map(static fn (MemoryClaim $claim): Evidence => $claim->evidence(), $claims));
        $sum = array_sum(array_map(static fn (MemoryClaim $claim): int => $claim->bytes(), $claims));

        return match (true) {
            $sum > self::SHARE * $most => self::tooMany($claims, $sum, $most, $evidence),
            $unmeasured !== [] => throw FactUnavailable::because(
                'These pools have no process to measure now: '.implode(', ', $unmeasured).'.',
                'sudo cat /proc/PID/smaps_rollup   # of a process of each pool that has served requests',
            ),
            default => Finding::pass('there is memory for all of them', ...$evidence)->observed(),
        };
    }

    /**
     * @param list<MemoryClaim> $claims
     * @param list<Evidence> $evidence
     */
    private static function tooMany(array $claims, int $sum, int $most, array $evidence): Finding
    {
        return Finding::warn(
            'Together they may use '.self::megabytes($sum).' of '.self::megabytes($most).'.',
            $evidence,
            'When all pools are busy at the same time, the machine swaps or the kernel kills processes.',
            new Fix(
                'Limit them together, so that the pool that asks first gets a process. Then lower pm.max_children of'
                    .' the pools that can wait.',
                // Each PHP-FPM keeps its share.
                array_map(static fn (MemoryClaim $claim): Edit|ManualChange => PoolEdit::ofMaster(
                    $claim->pool,
                    'process.max',
                    (string) $claim->processesIn(self::ADVISED * $most * $claim->bytes() / $sum),
                ), $claims),
            ),
        )->observed();
    }

    private static function megabytes(int|float $bytes): string
    {
        return sprintf('%.0f MB', $bytes / 1_048_576);
    }
}
