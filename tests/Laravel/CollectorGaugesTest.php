<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Collector\Server\Metrics\MetricsAggregator;
use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Server\WorkerPool;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Core\SystemClock;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * What the supervisor of a collector shows of the buffer.
 */
final class CollectorGaugesTest extends SpoolTestCase
{
    #[Test]
    public function the_supervisor_asks_no_database_because_no_signal_ends_a_query(): void
    {
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class, ['--limit' => '2']);
        $this->spool->database()->statement('drop table spool_ledger');
        $directory = new StateDirectory($this->spool->path, 0700, 0600);
        $directory->create();
        $pool = new WorkerPool([], [], static function (): void {}, new SystemClock, 0);
        (new MetricsAggregator($pool, $directory, new MetricsFiles($directory), $this->spool->runtime()))->tick();
        $seen = $directory->read('spool');

        self::assertIsArray($seen['buckets'] ?? null);
        self::assertIsArray($seen['buckets']['api-events']);
        self::assertSame(
            ['events' => 1, 'delivery' => 'delivering'],
            array_intersect_key($seen['buckets']['api-events'], ['events' => 0, 'delivery' => '']),
        );
    }
}
