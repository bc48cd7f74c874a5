<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\Change;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Kernel\MemoryOfMachine;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnknownFact;

/**
 * @internal
 */
final readonly class PoolsTogether implements Check
{
    private const SHARE = 0.8;

    private const ADVISED = 0.6;

    public function rule(): Rule
    {
        return new Rule(
            'F12',
            'The pools together may start more processes than there is memory for',
            Severity::Medium,
            Layer::Fpm,
            'pm.max_children bounds one pool. Each of several may fit into memory by itself (check F1) and all of them together not: when they are busy at the same time the machine swaps, or the kernel ends processes. process.max bounds them together.',
            'There are two pools or more, each fits by itself, and pm.max_children times the mean PSS of its processes, added up over the pools, is more than 80 % of memory; process.max, times the largest mean, is not less than that.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php'],
            10,
        );
    }

    public function examine(Facts $facts): array
    {
        $pools = $facts->get(FpmPools::class);
        $machine = $facts->get(MemoryOfMachine::class);
        $findings = [];

        foreach ($pools->ofEachMaster() as $one) {
            $own = array_values(array_filter($pools->pools, static fn (FpmPool $pool): bool => $pool->master->pid === $one->master->pid));

            if (count($own) < 2) {
                continue;
            }

            try {
                $finding = $this->finding($one, $own, $machine);
            } catch (UnknownFact $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            }

            $findings[] = $finding->about("PHP-FPM of {$one->master->configFile}");
        }

        return $findings;
    }

    /** @param list<FpmPool> $pools of one PHP-FPM */
    private function finding(FpmPool $one, array $pools, MemoryOfMachine $machine): Finding
    {
        $limit = $one->group()->memoryBytes;
        $most = $limit === null ? $machine->totalBytes : min($limit, $machine->totalBytes);
        $together = $one->global->integer('process.max') ?? 0;
        $evidence = [new Evidence('memory', self::megabytes($most), $limit === null ? $machine->source : (string) $one->group()->memorySource), new Evidence('process.max', $together === 0 ? 'no limit' : (string) $together, $one->global->setting('process.max')->origin ?? 'default of PHP-FPM')];
        $sum = 0;
        $largest = 0;
        $unmeasured = [];

        foreach ($pools as $pool) {
            $mean = $pool->memory()->meanPssBytes();
            $children = max(0, $pool->integer('pm.max_children'));
            $evidence[] = new Evidence($pool->name(), $mean === null ? "{$children} x not measured" : "{$children} x ".self::megabytes($mean), '/proc/PID/smaps_rollup');

            if ($mean === null) {
                $unmeasured[] = $pool->name();
            } elseif ($children * $mean > self::SHARE * $most) {
                return Finding::pass("the pool {$pool->name()} is too large by itself: check F1", ...$evidence);
            }

            $sum += $children * ($mean ?? 0);
            $largest = max($largest, $mean ?? 0);
        }

        // What process.max lets them have is the upper bound, whichever pools take it.
        $sum = $together > 0 && $unmeasured === [] ? min($sum, $together * $largest) : $sum;

        return match (true) {
            $sum > self::SHARE * $most => $this->tooMany($one, $sum, $most, max(1, (int) floor(self::ADVISED * $most / max(1, $largest))), $evidence),
            $unmeasured !== [] => throw UnknownFact::because('Pools without a process to measure now: '.implode(', ', $unmeasured).'.', 'sudo cat /proc/PID/smaps_rollup, of a process of each pool that has served requests'),
            default => Finding::pass('there is memory for all of them', ...$evidence)->restingOn(Confidence::Observed),
        };
    }

    /** @param list<Evidence> $evidence */
    private function tooMany(FpmPool $one, int $sum, int $most, int $fit, array $evidence): Finding
    {
        $edit = Change::to($one->global, 'process.max', (string) $fit);

        return Finding::warn(
            'Together they may take '.self::megabytes($sum).', of '.self::megabytes($most).'.',
            $evidence,
            'When all pools are busy at the same time the machine swaps or the kernel ends processes.',
            new Fix("Let them have {$fit} processes together; the pool that asks first gets them. Lower pm.max_children of those that can wait.", $edit === null ? [] : [$edit], [$one->reload()], 'Take the line back and reload PHP-FPM.', 'headroom doctor --only=F12'),
        )->restingOn(Confidence::Observed);
    }

    private static function megabytes(int|float $bytes): string
    {
        return sprintf('%.0f MB', $bytes / 1_048_576);
    }
}
