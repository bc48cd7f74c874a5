<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Benchmarks\Bottleneck\RedisDelay;
use Headroom\Benchmarks\Bottleneck\Stack;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Redis\Installed;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;

/** The stages of benchmarks/bottleneck are configured as described. No times are compared, and there is no load. */
#[Group('proof')]
final class BottleneckStackTest extends TestCase
{
    private const REQUESTS = 60;

    private ?Stack $stack = null;

    protected function setUp(): void
    {
        Needs::webStack();
        Installed::phpRedis();
        Installed::server();
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();
    }

    #[Test]
    #[TestWith([Stage::Baseline, 2 * self::REQUESTS, 2 * self::REQUESTS])]
    // Each of 40 processes makes at most two, however many requests there are.
    #[TestWith([Stage::Persistent, 2, 80])]
    public function a_stage_connects_to_redis_as_often_as_it_says(Stage $stage, int $least, int $most): void
    {
        $this->stack = $running = new Stack($stage, new RedisDelay(0.1, 0.0));
        $redis = $running->redis();
        $before = self::received($redis);

        for ($i = 0; $i < self::REQUESTS; $i++) {
            $page = (array) json_decode((string) file_get_contents($running->servers->url()), true);
            self::assertCount(6, (array) ($page['sections'] ?? []));
        }

        $new = self::received($redis) - $before;
        self::assertGreaterThanOrEqual($least, $new);
        self::assertLessThanOrEqual($most, $new);
    }

    #[Test]
    public function nothing_is_left_of_it(): void
    {
        $stack = new Stack(Stage::Limits, new RedisDelay(0.1, 0.0));
        $path = $stack->application->path();
        $groups = self::quotas();
        $stack->stop();
        $stack->stop();

        self::assertDirectoryDoesNotExist($path);
        self::assertFalse(@file_get_contents($stack->servers->url()));
        self::assertSame([], self::quotas(), 'There were '.implode(', ', $groups));
    }

    private static function received(Redis $redis): int
    {
        $stats = $redis->info('stats');
        self::assertIsArray($stats);
        $received = $stats['total_connections_received'] ?? null;
        self::assertIsNumeric($received);

        return (int) $received;
    }

    /** @return list<string> control groups of this process' quotas */
    private static function quotas(): array
    {
        $found = glob('/sys/fs/cgroup/{,cpu/}headroom-bench-'.getmypid().'-*', GLOB_BRACE);

        return $found === false ? [] : $found;
    }
}
