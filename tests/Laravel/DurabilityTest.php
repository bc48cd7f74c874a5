<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Cli\Spool\HealthCommand;
use Headroom\Cli\Spool\IntervalSync;
use Headroom\Cli\Spool\StatusCommand;
use Headroom\Cli\Spool\WorkCommand;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Problem;
use Headroom\Core\SystemClock;
use Headroom\Spool\Durability;
use Headroom\Spool\File\DurabilityExamination;
use Headroom\Spool\File\Filesystem;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\RealDisk;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * What a user sees of `durability`. What it does on disk is in tests/Fault: SyncOrderTest, SyncFailureTest, PowerCutTest.
 */
final class DurabilityTest extends TestCase
{
    private const NO_WORKER = 'Its durability is interval, but no spool:work puts it on disk: a power cut takes what was accepted and is not delivered.';

    private Spool $spool;

    protected function setUp(): void
    {
        $this->spool = $this->spool('interval');
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function an_interval_bucket_without_a_worker_fails_health_and_with_one_it_does_not(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(1);
        $health = $this->spool->run(HealthCommand::class);
        self::assertSame(1, $health->exit);
        self::assertSame([self::NO_WORKER], $this->messages());

        $worker = $this->worker();
        self::assertSame([], $this->messages());
        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);

        unset($worker);
        self::assertSame([self::NO_WORKER], $this->messages(), 'The lock dies with the worker.');
    }

    #[Test]
    public function a_worker_that_has_not_synced_for_long_fails_health(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(1);
        $worker = $this->worker();
        touch("{$this->spool->path}/buckets/api-events/work.lock", time() - 61);

        self::assertStringStartsWith('Its durability is interval, but spool:work last put it on disk 6', $this->messages()[0] ?? '');
        $this->round($worker);
        self::assertSame([], $this->messages());
    }

    #[Test]
    public function a_work_lock_that_was_removed_is_made_anew_in_the_next_round(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(1);
        $worker = $this->worker();
        unlink("{$this->spool->path}/buckets/api-events/work.lock");
        self::assertSame([self::NO_WORKER], $this->messages());

        $this->round($worker);
        self::assertSame([], $this->messages());
    }

    #[Test]
    public function a_bucket_that_was_never_written_to_needs_no_worker_yet(): void
    {
        self::assertNotContains(self::NO_WORKER, $this->messages());
        $this->round(new IntervalSync($this->spool->runtime()));
        self::assertDirectoryDoesNotExist($this->spool->path);
    }

    #[Test]
    public function spool_work_puts_an_interval_bucket_on_disk_in_each_round(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(3);
        $seen = [];
        $clock = new SteppingClock(function () use (&$seen): void {
            $seen[] = $this->messages();
        });
        $this->spool->run(WorkCommand::class, ['--max-time' => '3'], $this->spool->runtime($clock));

        self::assertNotSame([], $seen);
        self::assertSame([[]], array_values(array_unique($seen, SORT_REGULAR)), 'As long as it works, health finds nothing.');
        self::assertSame(3, $this->spool->count());
        self::assertSame([self::NO_WORKER], $this->messages());
    }

    #[Test]
    public function status_tells_the_level_and_what_is_missing_for_it(): void
    {
        $this->spool->add(1);
        self::assertStringContainsString('api-events: '.self::NO_WORKER, $this->spool->run(StatusCommand::class)->out);

        $bucket = $this->spool->runtime()->status()->buckets[0]->toArray();
        self::assertSame(['interval', self::NO_WORKER], [$bucket['durability'], $bucket['unsynced']]);

        $worker = $this->worker();
        self::assertNull($this->spool->runtime()->status()->buckets[0]->unsynced);
        $this->round($worker);
    }

    #[Test]
    #[TestWith(['process'])]
    #[TestWith(['power'])]
    public function the_other_levels_need_no_worker(string $durability): void
    {
        RealDisk::isNeeded();
        $this->spool->remove();
        $this->spool = $this->spool($durability);
        $this->spool->add(2);

        self::assertSame([], $this->messages());
        self::assertSame([$durability, null], [$this->spool->runtime()->status()->buckets[0]->durability->value, $this->spool->runtime()->status()->buckets[0]->unsynced]);
        $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true]);
        self::assertSame(2, $this->spool->count());
        self::assertFileDoesNotExist("{$this->spool->path}/buckets/api-events/work.lock");
    }

    #[Test]
    public function a_level_that_does_not_exist_is_refused_by_the_append_and_by_health(): void
    {
        $this->spool->remove();
        $this->spool = $this->spool('pwoer');
        $message = "Config spool.buckets.api-events.durability is 'pwoer'. It must be one of process, interval, power.";
        self::assertContains($message, $this->messages());

        $this->expectException(InvalidConfig::class);
        $this->expectExceptionMessage($message);
        $this->spool->add(1);
    }

    #[Test]
    #[TestWith(['tmpfs', 'rw', 'rw', 'but the buffer lies on tmpfs, which is memory'])]
    #[TestWith(['ext4', 'rw', 'rw,nobarrier', 'mounted with nobarrier'])]
    #[TestWith(['overlay', 'rw,relatime', 'rw,lowerdir=/a,volatile', 'mounted with volatile'])]
    #[TestWith(['ext4', 'rw,relatime', 'rw,errors=remount-ro', null])]
    public function a_filesystem_that_forgets_is_found(string $type, string $options, string $super, ?string $found): void
    {
        $this->spool->add(1);
        $mounts = $this->spool->file('mountinfo');
        file_put_contents($mounts, "22 1 8:1 / / {$options} shared:1 - {$type} /dev/x {$super}\n");
        $problems = fn (Durability $durability): array => (new DurabilityExamination($this->spool->runtime()->store(), 'api-events', $durability, new SystemClock, new Filesystem($this->spool->path, $mounts)))->problems();

        self::assertSame([], $problems(Durability::Process));
        self::assertCount($found === null ? 0 : 1, $problems(Durability::Power));
        self::assertStringContainsString($found ?? '', $problems(Durability::Power)[0]->message ?? '');
    }

    private function spool(string $durability): Spool
    {
        return new Spool(['api-events' => ['sink' => 'database', 'table' => 'api_events', 'durability' => $durability]]);
    }

    private function worker(): IntervalSync
    {
        return $this->round(new IntervalSync($this->spool->runtime()));
    }

    private function round(IntervalSync $worker): IntervalSync
    {
        $output = new BufferedOutput;
        $worker->round('api-events', $output);
        self::assertSame('', $output->fetch());

        return $worker;
    }

    /** @return list<string> */
    private function messages(): array
    {
        return array_map(static fn (Problem $problem): string => $problem->message, $this->spool->problems());
    }
}
