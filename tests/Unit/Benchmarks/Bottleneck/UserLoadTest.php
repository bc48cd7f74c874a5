<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\UserLoad;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class UserLoadTest extends TestCase
{
    #[Test]
    public function requests_that_timed_out_count_in_the_times_and_failures_in_their_slot(): void
    {
        $figures = UserLoad::figures([
            'sent' => 10, 'seconds' => 12.345, 'error_rate' => 0.5, 'timeouts' => 3, 'http_errors' => 2,
            'connect_errors' => 0, 'other_errors' => 0, 'statuses' => ['200' => 5, '502' => 2],
            'succeeded_per_second' => 0.405, 'client' => ['limited' => false],
            'latency_us' => [
                'answered' => ['mean' => 100.0, 'p95' => 200],
                'with_timeouts' => ['mean' => 4_000_000.0, 'p95' => 8_001_000],
            ],
            'timeline' => [
                [
                    'from_s' => 0.0,
                    'seconds' => 8.0,
                    'succeeded' => 5,
                    'errors' => ['status_502' => 2, 'timeout' => 1],
                    'latency_us' => ['mean' => 2_500_400.0],
                ],
                ['from_s' => 8.0, 'seconds' => 4.3, 'succeeded' => 0, 'errors' => [], 'latency_us' => ['mean' => null]],
            ],
        ]);

        self::assertSame(
            [4000.0, 8001.0, 0.5, 3, 2, 0],
            [
                $figures['mean_ms'],
                $figures['p95_ms'],
                $figures['error_rate'],
                $figures['timeouts'],
                $figures['http_errors'],
                $figures['other_errors'],
            ],
        );
        self::assertSame([
            ['from_s' => 0.0, 'seconds' => 8.0, 'succeeded' => 5, 'errors' => 3, 'mean_ms' => 2500.4],
            ['from_s' => 8.0, 'seconds' => 4.3, 'succeeded' => 0, 'errors' => 0, 'mean_ms' => null],
        ], $figures['timeline']);
    }
}
