<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Closure;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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
                $findings[] = $this->judged($own, static fn (): Evidence => self::memory($one, $machine))
                    ->about("PHP-FPM of {$one->master->configFile}");
            }
        }

        if (
            $pools->pools !== []
            && count($masters) > 1
            && array_filter($findings, static fn (Finding $finding): bool => $finding->status->isProblem()) === []
        ) {
            $findings[] = $this->judged(
                $pools->pools,
                static fn (): Evidence => new Evidence('memory', (string) $machine->totalBytes, $machine->source),
            )->about('all PHP-FPMs');
        }

        return $findings;
    }

    /**
     * @param non-empty-list<FpmPool> $pools that share a memory
     * @param Closure(): Evidence $memory in bytes
     */
    private function judged(array $pools, Closure $memory): Finding
    {
        try {
            return $this->finding($pools, $memory());
        } catch (FactUnavailable $e) {
            return Finding::unknown($e->getMessage(), $e->command);
        }
    }

    /** @throws FactUnavailable */
    private static function memory(FpmPool $one, MachineMemory $machine): Evidence
    {
        $limit = $one->group()->memoryBytes;

        return $limit === null || $limit > $machine->totalBytes
            ? new Evidence('memory', (string) $machine->totalBytes, $machine->source)
            : new Evidence('memory', (string) $limit, (string) $one->group()->memorySource);
    }

    /** @param non-empty-list<FpmPool> $pools */
    private function finding(array $pools, Evidence $memory): Finding
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
                return Finding::pass("the pool {$pool->name()} is too large by itself: check F1", ...$evidence);
            }

            $claims[$pool->master->key] = $mean === null ? $claim->without() : $claim->with($children, $mean);
        }

        $evidence = [
            ...$evidence,
            ...array_values(array_map(static fn (MemoryClaim $claim): Evidence => $claim->evidence(), $claims)),
        ];
        $sum = array_sum(array_map(static fn (MemoryClaim $claim): int => $claim->bytes(), $claims));

        return match (true) {
            $sum > self::SHARE * $most => $this->tooMany(array_values($claims), $sum, $most, $evidence),
            $unmeasured !== [] => throw FactUnavailable::because(
                'Pools without a process to measure now: '.implode(', ', $unmeasured).'.',
                'sudo cat /proc/PID/smaps_rollup   # of a process of each pool that has served requests',
            ),
            default => Finding::pass('there is memory for all of them', ...$evidence)->restingOn(Confidence::Observed),
        };
    }

    /**
     * @param non-empty-list<MemoryClaim> $claims
     * @param list<Evidence> $evidence
     */
    private function tooMany(array $claims, int $sum, int $most, array $evidence): Finding
    {
        $edits = [];
        $commands = [];

        foreach ($claims as $claim) {
            // Each PHP-FPM keeps its part.
            $edits[] = PoolEdit::to(
                $claim->pool->global,
                'process.max',
                (string) $claim->processesIn(self::ADVISED * $most * $claim->bytes() / $sum),
            );
            $commands[] = $claim->pool->reload();
        }

        return Finding::warn(
            'Together they may take '.self::megabytes($sum).', of '.self::megabytes($most).'.',
            $evidence,
            'When all pools are busy at the same time the machine swaps or the kernel ends processes.',
            new Fix(
                'Bound them together, so that the pool that asks first gets a process; then lower pm.max_children of'
                    .' those that can wait.',
                $edits,
                $commands,
                'Take the line back and reload PHP-FPM.',
            ),
        )->restingOn(Confidence::Observed);
    }

    private static function megabytes(int|float $bytes): string
    {
        return sprintf('%.0f MB', $bytes / 1_048_576);
    }
}
