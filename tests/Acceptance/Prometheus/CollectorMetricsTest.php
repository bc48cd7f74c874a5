<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Support\ExpositionReader;
use Headroom\Tests\Support\Promtool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CollectorMetricsTest extends TestCase
{
    /** Values that differ from one moment to the next. */
    private const OF_THE_MOMENT = ['headroom_spool_oldest_age_seconds', 'headroom_spool_free_bytes'];

    #[Test]
    public function a_collector_and_the_command_show_the_same_series(): void
    {
        $station = Station::open();
        $station->collector->command('spool:pause', 'events');
        $metrics = '';
        $command = '';
        $station->collector->waitFor(function () use ($station, &$metrics, &$command): bool {
            $metrics = Client::fetch($station->collector->admin(), '/metrics')[1];
            [$exit, $command] = $station->collector->command('spool:status', '--prometheus');
            self::assertSame(0, $exit, $command);

            return $this->ofBuffer($metrics) === $this->ofBuffer($command);
        });

        self::assertGreaterThan(15, count($this->ofBuffer($command)));
        self::assertSame('1', ExpositionReader::value($metrics, 'headroom_spool_paused', ['bucket' => 'events']));
        self::assertSame([0, '', 0, ''], [...Promtool::checkMetrics($metrics), ...Promtool::checkMetrics($command)]);
    }

    /** @return list<string> samples of the buffer */
    private function ofBuffer(string $text): array
    {
        $samples = [];

        foreach (ExpositionReader::samples($text) as [$name, $labels, $value]) {
            if (preg_match('/\A(?:headroom_spool_|headroom_sink_|target_info\z)/', $name) === 1) {
                $value = in_array($name, self::OF_THE_MOMENT, true) ? '' : $value;
                $samples[] = "{$name} ".json_encode($labels, JSON_THROW_ON_ERROR)." {$value}";
            }
        }

        sort($samples);

        return $samples;
    }
}
