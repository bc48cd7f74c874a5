<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Database;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseWindow;
use Headroom\Doctor\Facts\Fpm\Change;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Kernel\UsableCpus;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\WriteBuffer;

/**
 * @internal
 */
final readonly class FewProcessesFarAway implements Check
{
    /** Nearer than this is the same machine or the same rack. */
    private const SECONDS = 0.001;

    /** Above what is just enough, so that a distance that varies does not bring the finding back. */
    private const ADVISED = 1.25;

    /** What a CPU serves of requests that take it 10 ms. */
    private const PER_CPU = 100;

    public function rule(): Rule
    {
        return new Rule(
            'D9',
            'Few PHP processes wait for a database far away',
            Severity::High,
            Layer::Database,
            'A process serves one request at a time, and waits while the database answers. A request that writes one row makes a connection, which is several round trips, and then the write: where each takes 10 ms, a few processes serve a small part of what they would without it. The CPUs are idle meanwhile.',
            'A round trip to the database takes 1 ms or more, and the processes of a pool, were they to do nothing but connect and ask once, would serve fewer than 100 requests per second for each CPU, which is what requests of 10 ms of CPU time would allow.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php'],
            30,
        );
    }

    public function examine(Facts $facts): array
    {
        $window = $facts->get(DatabaseWindow::class);
        $cpus = $facts->get(UsableCpus::class);

        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool) use ($window, $cpus): Finding {
            $processes = $pool->integer('pm.max_children');
            $waits = max(1e-6, $window->connect + $window->roundTrip);
            $most = $processes / $waits;
            $enough = (int) ceil(round(self::PER_CPU * $cpus->usable() * $waits, 3));
            $evidence = [$window->trip(), $window->connecting(), $pool->evidence('pm.max_children'), new Evidence('CPUs', sprintf('%.1f', $cpus->usable()), $cpus->source), new Evidence('requests per second at most', sprintf('%.0f', $most), 'processes / (making a connection + a round trip)')];

            if ($window->roundTrip < self::SECONDS || $processes >= $enough) {
                return Finding::pass($window->roundTrip < self::SECONDS ? 'the database is near' : 'there are processes enough to wait for it', ...$evidence);
            }

            $advised = (int) ceil(self::ADVISED * $enough);
            $edit = Change::to($pool->settings, 'pm.max_children', (string) $advised);

            return Finding::warn(
                sprintf('%d processes serve %.0f requests per second at most that ask the database once: each waits %.1f ms for it.', $processes, $most, 1e3 * $waits),
                $evidence,
                'Requests wait for a process while the CPUs are idle.',
                new Fix(
                    WriteBuffer::insteadOfInserts()
                    ." Else start {$advised} processes, where there is memory for them (check F1) "
                    .'and the server takes as many connections (D1), or put a pooler beside PHP, which leaves one round trip of them.',
                    [$edit],
                    [$pool->reload()],
                    'Put the line back and reload PHP-FPM.',
                    'headroom doctor --only=D9',
                ),
            )->restingOn(Confidence::Observed);
        });
    }
}
