<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * A node with much to count is no silent one.
 */
final class HeartbeatTest extends TestCase
{
    /** Beats are 300 seconds apart at most, with the next count in them. */
    #[Test]
    #[TestWith([0, 20])]
    #[TestWith([5, 100])]
    #[TestWith([100, 140])]
    #[TestWith([230, 20])]
    public function the_longer_it_counts_the_more_rarely_it_does_until_it_would_fall_silent(
        int $counts,
        int $next,
    ): void {
        $spool = new Spool(['api-events' => ['sink' => 'database', 'table' => 'api_events']]);

        try {
            $spool->createNodes();
            $spool->add(1);
            $clock = new SteppingClock(perLook: 1_000_000 * $counts);
            $hasCounted = false;
            $heart = new HeartbeatSender($spool->runtime($clock));
            $heart->beat(function () use ($spool, &$hasCounted): void {
                // No server has been queried yet.
                $hasCounted = $spool->database()->table('spool_nodes')->count() === 0;
            });

            self::assertTrue($hasCounted);
            self::assertSame(1, $spool->database()->table('spool_nodes')->where('pending', 1)->count());
            $clock->sleep(1_000_000 * ($next - 1));
            self::assertFalse($heart->isDue());
            $clock->sleep(1_000_000);
            self::assertTrue($heart->isDue());
        } finally {
            $spool->remove();
        }
    }

    /** Four minutes and the flush of the next one would be five: it would fall silent. */
    #[Test]
    public function after_a_failure_the_next_heartbeat_comes_a_minute_later(): void
    {
        $spool = new Spool(['api-events' => ['sink' => 'database', 'table' => 'api_events']]);

        try {
            $spool->createNodes();
            $spool->add(1);
            $clock = new SteppingClock;
            $heart = new HeartbeatSender($spool->runtime($clock));
            self::assertFalse($heart->beat(function () use ($spool): void {
                $spool->database()->statement('alter table spool_nodes rename column host to elsewhere');
            }));
            $clock->sleep(59_000_000);
            self::assertFalse($heart->isDue());
            $clock->sleep(1_000_000);
            self::assertTrue($heart->isDue());
        } finally {
            $spool->remove();
        }
    }
}
