<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server\Metrics;

use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class MetricsFilesTest extends TestCase
{
    #[Test]
    public function two_supervisors_of_one_buffer_do_not_double_its_numbers(): void
    {
        $home = TemporaryDirectory::create('metrics');
        $directory = new StateDirectory($home->path, 0o700, 0o600);
        $directory->create();
        $files = new MetricsFiles($directory);
        $delivered = 'headroom_sink_events_delivered_total{bucket="a",sink="file"}';

        foreach (['1-1' => 5, '2-2' => 7] as $id => $events) {
            $files->publish($id, ['headroom_commits_total' => 3], [
                'headroom_spool_events{bucket="a"}' => 10 - $events,
                'headroom_spool_missing{bucket="a"}' => -1,
                $delivered => $events,
                'target_info{service_name="headroom"}' => 1,
                'headroom_connections' => 4,
            ]);
        }

        self::assertSame(
            [
                'headroom_commits_total' => 6,
                'headroom_spool_events{bucket="a"}' => 5,
                'headroom_spool_missing{bucket="a"}' => -1,
                $delivered => 7,
                'target_info{service_name="headroom"}' => 1,
                'headroom_connections' => 8,
            ],
            $files->sum(),
        );
        $home->remove();
    }
}
