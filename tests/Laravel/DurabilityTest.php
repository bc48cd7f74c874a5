<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\Output\WorkerConsole;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\SystemClock;
use Headroom\Spool\Durability;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Fsync\DurabilityCheck;
use Headroom\Spool\Worker\PeriodicFsync;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\RealDisk;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * `durability` as a user sees it. Its effects on disk are tested in tests/Fault: SyncOrderTest, SyncFailureTest,
 * PowerCutTest.
 */
#[Group('snapshot')]
final class DurabilityTest extends TestCase
{
    private Spool $spool;

    private BufferedOutput $errors;

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
        Snapshot::assertPrinted('spool:health', 'an interval bucket has no worker', $this->withoutWorker());

        $worker = $this->worker();
        self::assertSame([], $this->spool->problems());
        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);

        unset($worker);
        // The lock dies with the worker.
        $this->withoutWorker();
    }

    #[Test]
    public function a_worker_that_has_not_synced_for_long_fails_health(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(1);
        $worker = $this->worker();
        touch("{$this->spool->path}/buckets/api-events/work.lock", time() - 61);

        $problems = $this->spool->problems();
        self::assertSame(['bucket api-events'], array_column($problems, 'subject'));
        Sentence::assertNames(['interval', 'spool:work'], $problems[0]->message);
        self::assertMatchesRegularExpression('/\b6\d s\b/', $problems[0]->message);
        Snapshot::assertPrinted('spool:health', 'the worker of an interval bucket is late', $problems[0]->message);
        $this->round($worker);
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function a_work_lock_that_was_removed_is_made_again_in_the_next_round(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(1);
        $worker = $this->worker();
        unlink("{$this->spool->path}/buckets/api-events/work.lock");
        $this->withoutWorker();

        $this->round($worker);
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function a_bucket_that_was_never_written_to_needs_no_worker_yet(): void
    {
        RealDisk::isNeeded();
        self::assertNotContains('bucket api-events', array_column($this->spool->problems(), 'subject'));
        $this->worker();
        self::assertDirectoryDoesNotExist($this->spool->path);
    }

    #[Test]
    public function spool_work_puts_an_interval_bucket_on_disk_in_each_round(): void
    {
        RealDisk::isNeeded();
        $this->spool->add(3);
        $seen = [];
        $clock = new SteppingClock(function () use (&$seen): void {
            $seen[] = array_column($this->spool->problems(), 'message');
        });
        $this->spool->run(WorkCommand::class, ['--max-time' => '3'], $this->spool->runtime($clock));

        self::assertNotSame([], $seen);
        self::assertSame(
            [[]],
            array_values(array_unique($seen, SORT_REGULAR)),
            'As long as it works, health finds nothing.',
        );
        self::assertSame(3, $this->spool->count());
        $this->withoutWorker();
    }

    #[Test]
    public function status_tells_the_level_and_what_is_missing_for_it(): void
    {
        $this->spool->add(1);
        $unsynced = $this->spool->runtime()->status()->buckets[0]->storage->unsynced;
        self::assertNotNull($unsynced);
        self::assertStringContainsString("api-events: {$unsynced}\n", $this->spool->run(StatusCommand::class)->out);
        self::assertContains($unsynced, array_column($this->spool->problems(), 'message'));

        $bucket = $this->spool->runtime()->status()->buckets[0]->toArray();
        self::assertSame(['interval', $unsynced], [$bucket['durability'], $bucket['unsynced']]);

        $worker = $this->worker();
        self::assertNull($this->spool->runtime()->status()->buckets[0]->storage->unsynced);
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

        self::assertSame([], $this->spool->problems());
        self::assertSame(
            [$durability, null],
            [
                $this->spool->runtime()->status()->buckets[0]->durability->value,
                $this->spool->runtime()->status()->buckets[0]->storage->unsynced,
            ],
        );
        $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true]);
        self::assertSame(2, $this->spool->count());
        self::assertFileDoesNotExist("{$this->spool->path}/buckets/api-events/work.lock");
    }

    #[Test]
    public function a_level_that_does_not_exist_is_refused_by_the_append_and_by_health(): void
    {
        $this->spool->remove();
        $this->spool = $this->spool('pwoer');

        try {
            $this->spool->add(1);
            self::fail('It was accepted.');
        } catch (InvalidConfig $e) {
            self::assertSame('spool.buckets.api-events.durability', $e->key);
            Sentence::assertNames(["'pwoer'", 'process', 'interval', 'power'], $e->getMessage());
            self::assertContains($e->getMessage(), array_column($this->spool->problems(), 'message'));
        }
    }

    #[Test]
    #[TestWith(['tmpfs', 'rw', 'rw', 'tmpfs'])]
    #[TestWith(['ext4', 'rw', 'rw,nobarrier', 'nobarrier'])]
    #[TestWith(['overlay', 'rw,relatime', 'rw,lowerdir=/a,volatile', 'volatile'])]
    #[TestWith(['ext4', 'rw,relatime', 'rw,errors=remount-ro', null])]
    public function a_filesystem_that_forgets_is_found(
        string $type,
        string $options,
        string $super,
        ?string $found,
    ): void {
        $this->spool->add(1);
        $mounts = $this->spool->file('mountinfo');
        file_put_contents($mounts, "22 1 8:1 / / {$options} shared:1 - {$type} /dev/x {$super}\n");
        $problems = fn (Durability $durability): array => (new DurabilityCheck(
            $this->spool->runtime()->store(),
            'api-events',
            $durability,
            new SystemClock,
            new FilesystemProbe($this->spool->path, $mounts),
        ))->findings();

        self::assertSame([], $problems(Durability::Process));
        self::assertCount($found === null ? 0 : 1, $problems(Durability::Power));
        Sentence::assertNames($found === null ? [] : ['power', $found], $problems(Durability::Power)[0]->message ?? '');
    }

    private function spool(string $durability): Spool
    {
        return new Spool(['api-events' => [
            'sink' => 'database',
            'table' => 'api_events',
            'durability' => $durability,
        ]]);
    }

    private function worker(): PeriodicFsync
    {
        $this->errors = new BufferedOutput;

        return $this->round(new PeriodicFsync($this->spool->runtime(), new WorkerConsole($this->errors)));
    }

    private function round(PeriodicFsync $worker): PeriodicFsync
    {
        $worker->round('api-events');
        self::assertSame('', $this->errors->fetch());

        return $worker;
    }

    /** A worker that is late would be told with its seconds. */
    private function withoutWorker(): string
    {
        $problems = $this->spool->problems();
        self::assertSame(['bucket api-events'], array_column($problems, 'subject'));
        Sentence::assertNames(['interval', 'spool:work'], $problems[0]->message);
        self::assertDoesNotMatchRegularExpression('/\d/', $problems[0]->message);

        return $problems[0]->message;
    }
}
