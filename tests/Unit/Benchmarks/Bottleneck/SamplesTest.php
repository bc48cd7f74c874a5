<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\Sample;
use Headroom\Benchmarks\Bottleneck\Samples;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SamplesTest extends TestCase
{
    #[Test]
    public function connections_and_cpu_time_are_those_between_the_first_look_and_the_last(): void
    {
        $figures = (new Samples([
            new Sample(100.0, 1, 500, 1000, 4000),
            new Sample(101.0, 26, 580, 1020, 4200),
            new Sample(104.0, 21, 700, 1100, 4800),
        ]))->figures(100);

        self::assertSame(200, $figures['redis_connections']);
        self::assertSame(50.0, $figures['redis_connections_per_second']);
        self::assertSame(2.0, $figures['redis_connections_per_request']);
        self::assertSame(0.125, $figures['cpu_share']);
        // The sampler is not a client of the application.
        self::assertSame(25, $figures['redis_clients_most']);
        self::assertSame([
            ['at_s' => 1.0, 'clients' => 25, 'connections_per_second' => 80.0],
            ['at_s' => 4.0, 'clients' => 20, 'connections_per_second' => 40.0],
        ], $figures['redis']);
    }

    #[Test]
    public function one_sample_has_no_rate(): void
    {
        $figures = (new Samples([new Sample(100.0, 1, 500, 1000, 4000)]))->figures(0);

        self::assertNull($figures['redis_connections_per_second']);
        self::assertNull($figures['redis_connections_per_request']);
        self::assertNull($figures['cpu_share']);
    }

    #[Test]
    public function the_cpus_of_this_machine_are_read(): void
    {
        $look = Sample::now(3, 7);

        self::assertGreaterThan(0, $look->busyTicks);
        self::assertGreaterThan($look->busyTicks, $look->allTicks);
        self::assertSame([3, 7], [$look->clients, $look->connections]);
    }
}
