<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\PoolGrowth;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\Process\UsableCpus;

/**
 * @internal
 */
final readonly class PoolTooSmallForDatabaseLatency implements PoolCheck
{
    /** A shorter round trip means the same machine or the same rack. */
    private const SECONDS = 0.001;

    /** Above the exact need, so that a distance that varies does not bring the finding back. */
    private const ADVISED = 1.25;

    /** Requests per second of one CPU, if each takes 10 ms of it. */
    private const PER_CPU = 100;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $window = $facts->get(DatabaseWindow::class);
        $cpus = $facts->get(UsableCpus::class);
        $processes = $pool->integer('pm.max_children');
        $waits = max(1e-6, $window->connect + $window->roundTrip);
        $most = sprintf('%.0f', $processes / $waits);
        $enough = (int) ceil(round(self::PER_CPU * $cpus->usable() * $waits, 3));
        $evidence = [
            $window->trip(),
            $window->connecting(),
            $pool->evidence('pm.max_children'),
            new Evidence('CPUs', sprintf('%.1f', $cpus->usable()), $cpus->source),
            new Evidence('requests per second at most', $most, 'processes / (opening a connection + a round trip)'),
        ];

        return match (true) {
            $window->roundTrip < self::SECONDS => Finding::pass('the database is near', ...$evidence),
            $processes >= $enough => Finding::pass('enough processes can wait for it', ...$evidence),
            default => Finding::warn(
                "{$processes} processes serve at most {$most} requests per second that ask the database"
                    .' once: each waits'
                    .sprintf(' %.1f ms for it.', 1e3 * $waits),
                $evidence,
                self::fix($pool, $facts, (int) ceil(self::ADVISED * $enough)),
            )->observed(),
        };
    }

    private static function fix(FpmPool $pool, Facts $facts, int $advised): Fix
    {
        $obstacle = PoolGrowth::obstacle($facts, $pool, $advised);

        return new Fix(
            BufferAdvice::insteadOfInserts().' Or '.($obstacle === null
                ? "start {$advised} processes, for which there are memory (check F1) and connections (D1), or"
                : "{$advised} processes would be enough, but {$obstacle}; or")
                .' run a pooler next to PHP, which leaves one of the round trips.',
            // A pool that uses all memory or all connections is worse than one that waits.
            $obstacle === null ? [PoolEdit::of($pool, 'pm.max_children', (string) $advised)] : [],
        );
    }
}
