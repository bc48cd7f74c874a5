<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Benchmarks\Load\Percentiles;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * What `make bench-load` says about percentiles, in a short run.
 */
final class PercentilesTest extends TestCase
{
    #[Test]
    public function percentiles_are_those_of_the_same_requests_to_three_digits(): void
    {
        $rows = (new Percentiles(7, 200, 2))->measure();

        self::assertSame(['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'], array_keys($rows));

        foreach ($rows as $percentile => $row) {
            self::assertLessThanOrEqual(0.001, abs($row['of_histogram']), $percentile);
            // What the server kept for so long can not have taken less.
            self::assertGreaterThanOrEqual($row['made_us'], $row['taken_us'], $percentile);
            self::assertGreaterThanOrEqual(50_000, $row['made_us'], $percentile);
            self::assertEqualsWithDelta(
                $row['error'],
                (1 + $row['of_histogram']) * (1 + $row['of_way']) - 1,
                0.00002,
                $percentile,
            );
        }
    }
}
