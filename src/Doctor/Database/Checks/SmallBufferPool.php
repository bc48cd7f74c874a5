<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class SmallBufferPool implements Check
{
    private const HITS = 0.99;

    /** With fewer reads a server is not warm. */
    private const LEAST_READS = 100_000.0;

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $setting = $server->isMysql() ? 'innodb_buffer_pool_size' : 'shared_buffers';
        [$all, $missed] = $server->isMysql()
            ? [$server->counter('innodb_buffer_pool_read_requests'), $server->counter('innodb_buffer_pool_reads')]
            : [$server->counter('blks_hit') + $server->counter('blks_read'), $server->counter('blks_read')];
        $evidence = [
            new Evidence(
                'found in memory',
                $all > 0.0 ? sprintf('%.2f %% of %.0f', 100 * (1 - $missed / $all), $all) : 'no reads yet',
                $server->isMysql() ? 'SHOW GLOBAL STATUS' : 'pg_stat_database',
            ),
            $server->variableEvidence($setting),
        ];

        yield $all < self::LEAST_READS || 1 - $missed / $all >= self::HITS
            ? Finding::pass('the SQL server finds its pages in memory', ...$evidence)
            : Finding::warn(
                sprintf('%.1f %% of the pages that the SQL server read were not in memory.', 100 * $missed / $all),
                $evidence,
                $server->isMysql() ? $server->fix(
                    $setting,
                    (int) (2 * (float) $server->variable($setting)),
                    "mysql -e \"show global status like 'Innodb_buffer_pool_read%'\"",
                ) : $server->systemFix($setting, '1GB', 'select sum(blks_hit), sum(blks_read) from pg_stat_database'),
            )->observed();
    }
}
