<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class SmallBufferPool implements Check
{
    private const HITS = 0.99;

    /** Before that a server is warming up. */
    private const READS = 100_000.0;

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        [$all, $missed] = $server->isMysql()
            ? [$server->counter('innodb_buffer_pool_read_requests'), $server->counter('innodb_buffer_pool_reads')]
            : [$server->counter('blks_hit') + $server->counter('blks_read'), $server->counter('blks_read')];
        $size = $server->isMysql() ? 'innodb_buffer_pool_size' : 'shared_buffers';
        $evidence = [
            new Evidence(
                'found in memory',
                $all > 0.0
                    ? sprintf('%.2f %% of %.0f', 100 * (1 - $missed / $all), $all)
                    : 'nothing was looked for yet',
                $server->isMysql() ? 'SHOW GLOBAL STATUS' : 'pg_stat_database',
            ),
            $server->shownVariable($size),
        ];

        if ($all < self::READS || 1 - $missed / $all >= self::HITS) {
            return [Finding::pass('it finds what it looks for', ...$evidence)];
        }

        $bytes = $server->isMysql() ? (int) (2 * (float) $server->variable($size)) : 0;

        return [Finding::warn(
            sprintf('%.1f %% of what was looked for was not in memory.', 100 * $missed / $all),
            $evidence,
            'Ordinary queries wait for the disk.',
            $server->isMysql()
                ? new Fix(
                    'Give it more of the memory that the machine has free; half of it or more where it has the'
                        .' machine to itself.',
                    $server->keep($size, $bytes),
                    [...$server->set($size, $bytes), "mysql -e 'flush status'"],
                    $server->back($size, $server->variable($size)),
                    "mysql -e \"show global status like 'Innodb_buffer_pool_read%'\"",
                )
                : new Fix(
                    'Give it a quarter of the memory of the machine, where it has the machine to itself.',
                    [],
                    ["psql -c \"alter system set shared_buffers = '1GB'\"", 'sudo systemctl restart postgresql'],
                    "psql -c 'alter system reset shared_buffers', and restart it.",
                    'psql -c "select sum(blks_hit), sum(blks_read) from pg_stat_database"',
                ),
        )->restingOn(Confidence::Observed)];
    }
}
