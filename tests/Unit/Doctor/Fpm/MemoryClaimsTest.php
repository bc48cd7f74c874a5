<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm;

use Headroom\Doctor\Fpm\MemoryClaims;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class MemoryClaimsTest extends TestCase
{
    #[Test]
    public function pools_add_up_and_a_pool_without_a_process_is_named(): void
    {
        $machine = new WebServers;
        $claims = static fn (int $children): MemoryClaims => MemoryClaims::of(...$machine->fpm(
            ['large' => ['pm.max_children' => "{$children}"], 'idle' => []],
            children: ['large' => (int) getmypid()],
        )->pools);
        [$one, $many] = [$claims(1), $claims(1_000_000)];

        self::assertSame(['idle'], $many->unmeasured);
        self::assertCount(1, $many->claims);
        self::assertGreaterThan(1_000_000, $one->sum());
        self::assertGreaterThan(1_000 * $one->sum(), $many->sum());
        self::assertSame(['large', null], [$many->poolAbove(1e12), $one->poolAbove(1e12)]);
        self::assertCount(3, $many->evidence());
    }
}
