<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * What passes by itself: a database that restarts, a flush that is killed, a backlog that is being delivered.
 */
final class AlertFalseAlarmsTest extends AlertsTestCase
{
    /** The scheduler starts both at once, so the check may see the bucket before or after the flush. */
    private function minute(bool $isCheckFirst): void
    {
        $isCheckFirst ? $this->check() : null;
        $this->flush();
        $isCheckFirst ? null : $this->check();
        $this->pass(60);
    }

    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function a_database_that_is_down_for_one_flush_is_no_problem(bool $isCheckFirst): void
    {
        $this->spool->add(1);
        $this->minute($isCheckFirst);

        for ($outage = 0; $outage < 5; $outage++) {
            $this->spool->add(1);
            $this->breakSink();
            $this->minute($isCheckFirst);
            $this->repairSink();
            $this->minute($isCheckFirst);
        }

        $this->minute($isCheckFirst);
        self::assertSame([], $this->subjects());
    }

    #[Test]
    public function a_failure_before_a_long_maintenance_is_no_problem_after_it(): void
    {
        $this->spool->add(1);
        $this->breakSink();
        $this->flush();
        $this->pass(1800);
        $this->repairSink();
        $this->minute(true);
        $this->minute(true);
        self::assertSame([], $this->subjects());
    }

    #[Test]
    public function a_backlog_that_is_delivered_after_an_outage_is_no_problem(): void
    {
        $this->backlog(40);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        self::assertSame(['A bucket has stopped'], $this->subjects());
        $this->pass(3600);
        $this->repairSink();

        for ($minute = 0; $minute < 40; $minute++) {
            $this->deliverOne();
            $this->check();
            $this->pass(60);
        }

        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_backlog_that_is_delivered_no_more_is_reported(): void
    {
        $this->backlog(3);
        $this->pass(3600);
        $this->deliverOne();

        for ($minute = 0; $minute < 10; $minute++) {
            $this->check();
            $this->pass(60);
        }

        self::assertSame(['Nothing delivers'], $this->subjects());
    }

    #[Test]
    public function a_nightly_flush_is_no_problem_by_day_or_while_it_runs(): void
    {
        $bucket = $this->spool->buckets['api-events'];
        self::assertIsArray($bucket);
        $this->spool->buckets['api-events'] = [...$bucket, 'schedule' => '0 3 * * *'];
        $this->clock->micros = 1_000_000 * strtotime('2026-06-02 03:00:30');
        $this->backlog(1);
        $this->flush();
        $this->backlog(30);

        for ($hour = 0; $hour < 23; $hour++) {
            $this->pass(3600);
            $this->check();
        }

        $this->clock->micros = 1_000_000 * strtotime('2026-06-03 03:00:05');

        for ($minute = 0; $minute < 30; $minute++) {
            $this->deliverOne();
            $this->check();
            $this->pass(60);
        }

        self::assertSame([], $this->subjects());
        $this->backlog(1);
        $this->clock->micros = 1_000_000 * strtotime('2026-06-04 03:00:05');

        for ($minute = 0; $minute < 10; $minute++) {
            $this->check();
            $this->pass(60);
        }

        self::assertSame(['Nothing delivers'], $this->subjects());
    }

    private function backlog(int $events): void
    {
        for ($i = 0; $i < $events; $i++) {
            $this->spool->runtime($this->clock)->buffer()->bucket('api-events')->add(['event' => "{$i}"]);
        }
    }

    private function deliverOne(): void
    {
        self::assertSame(0, $this->spool->run(
            FlushCommand::class,
            ['bucket' => 'api-events', '--limit' => '1', '--now' => true],
            $this->spool->runtime($this->clock),
        )->exit);
    }
}
