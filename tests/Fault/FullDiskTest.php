<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\FileStore\State\UnableToCount;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\Strace;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/**
 * A disk of half a megabyte that is really full (ENOSPC), or really mounted read-only. Only root can mount one;
 * RefusedAppendTest has the same with RLIMIT_FSIZE, for everybody.
 */
final class FullDiskTest extends FaultTestCase
{
    private string $disk = '';

    protected function setUp(): void
    {
        parent::setUp();
        $disk = "{$this->world->directory}/disk";
        mkdir($disk);

        if (posix_geteuid() !== 0 || $this->mount('-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', $disk) !== 0) {
            self::markTestSkipped('Only root can mount a small disk, and not in every container.');
        }

        $this->disk = $disk;
    }

    protected function tearDown(): void
    {
        if ($this->disk !== '') {
            (new Process(['umount', $this->disk]))->run();
        }

        parent::tearDown();
    }

    #[Test]
    public function a_disk_that_is_full_behind_a_delivery_makes_no_failure_of_it(): void
    {
        Strace::orSkip();
        $this->world->append(['first']);
        $flush = $this->child('flush', points: ['delivery.committed' => Act::Wait]);
        $flush->awaitPoint('delivery.committed');
        $strace = Strace::attach(
            $flush->pid(),
            "{$this->world->directory}/strace",
            ['rename,renameat,renameat2:error=ENOSPC'],
        );
        $flush->goOn();
        self::assertSame([1, null], [$flush->result()['delivered'], $flush->result()['failure']]);
        self::assertStringContainsString('(INJECTED)', $strace->awaitEnd());
        self::assertFileExists($this->world->layout()->sealedSegment(1));

        $this->flush();
        self::assertFileExists($this->world->layout()->completedSegment(1));
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function a_disk_without_inodes_is_flushed_and_makes_room_by_it(): void
    {
        self::assertSame(0, $this->mount('-o', 'remount,nr_inodes=60', $this->disk));
        $world = $this->world('throw');
        $world->append(['first']);

        for ($n = 0; @touch("{$this->disk}/{$n}"); $n++);

        self::assertNull($world->flush()->failure);
        self::assertSame(['first'], $world->rows());
        unlink("{$this->disk}/0");
        $world->append(['second']);
        self::assertNull($world->flush()->failure);
        self::assertSame(['first', 'second'], $world->rows());
    }

    #[Test]
    public function a_full_disk_takes_records_of_an_existing_history_and_no_new_file(): void
    {
        $world = $this->world('throw');
        $world->append(['first'], 'lines');
        $world->append(['first']);
        self::assertNull($world->runtime()->flush('events', new FlushOptions(now: true))->failure);
        $world->append(['second']);
        $this->fill();

        foreach (['events', 'lines'] as $bucket) {
            self::assertNull($world->runtime()->flush($bucket, new FlushOptions(now: true))->failure);
        }

        $minutes = $world->runtime()->historyOf('events')->minutes(1, intdiv(time(), 60));
        self::assertSame(2, array_sum(array_column($minutes, 'events')));
        self::assertSame([], $world->runtime()->historyOf('lines')->minutes(1, intdiv(time(), 60)));
        self::assertSame([], glob("{$world->layout('lines')->directory}/history*"));
    }

    #[Test]
    public function a_full_disk_pauses_a_bucket_and_says_so(): void
    {
        $world = $this->world('throw');
        $world->append(['first']);
        $this->fill();
        $pauses = $world->store()->pauses();

        self::assertTrue($pauses->pause('events', (new SystemClock)->now()));
        self::assertTrue($pauses->isPaused('events'));
        self::assertTrue($world->flush()->paused);
        self::assertFalse($pauses->pause('events', (new SystemClock)->now()));
    }

    #[Test, Group('day-3')]
    #[TestDox('disk full')]
    #[TestWith(['direct', 20, 0, 0])]
    #[TestWith(['throw', 0, 20, 0])]
    #[TestWith(['drop', 0, 0, 20])]
    public function a_full_disk_is_counted_on_and_every_event_is_accounted_for(
        string $policy,
        int $direct,
        int $thrown,
        int $dropped,
    ): void {
        $world = $this->world($policy);
        $world->append(['first']);
        $this->fill();
        $large = self::largeIds(20);
        $result = $this->child('append by policy', ['events', ...$large], world: $world)->result();

        self::assertSame(array_fill_keys($thrown === 0 ? [] : $large, 'disk_full'), $result['thrown']);
        self::assertCount($direct, $world->rows());
        self::assertCount(1, $world->logged());
        self::assertMatchesRegularExpression(
            "/'events'.*\bdisk_full\b.*\b1\b.*No space left on device/",
            $world->logged()[0],
        );

        // A flush needs no free disk.
        self::assertNull($world->flush()->failure);
        $status = $world->status();
        self::assertNull($status->error);
        self::assertSame(
            [1 + $direct + $dropped, 1 + $direct, $dropped, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dropped,
                $status->events->pending,
                $status->events->missing,
            ],
        );
        self::assertSame($thrown === 0 ? [] : ['disk_full' => $thrown], $status->backpressure->refusedByReason);

        unlink("{$this->disk}/filler");
        self::assertSame([], $this->child('append by policy', ['events', 'last'], world: $world)->result()['thrown']);
        self::assertNull($world->flush()->failure);
        self::assertContains('last', $world->rows());
    }

    #[Test]
    public function events_that_cannot_even_be_counted_go_directly_and_share_a_line(): void
    {
        $this->fill();
        $world = $this->world('direct');
        // A directory takes no space of a tmpfs, but the id does.
        self::assertSame([], $this->child('append by policy', ['events', '1', '2'], world: $world)->result()['thrown']);

        self::assertSame(['1', '2'], $world->rows());
        self::assertCount(1, $world->logged());
        self::assertMatchesRegularExpression("/^warning: .*'events'.*\bdisk_full\b.*\b1\b/", $world->logged()[0]);
    }

    #[Test]
    #[TestDox('directory read-only')]
    public function a_read_only_disk_is_named_and_its_refusals_share_a_line(): void
    {
        $world = $this->world('direct');
        $world->append(['1']);
        self::assertSame(0, $this->mount('-o', 'remount,ro', $this->disk));
        $result = $this->child('append by policy', ['events', '2', '3'], world: $world)->result();
        self::assertSame(0, $this->mount('-o', 'remount,rw', $this->disk));

        self::assertSame([], $result['thrown']);
        self::assertSame(['2', '3'], $world->rows());
        self::assertCount(1, $world->logged());
        self::assertMatchesRegularExpression("/^warning: .*'events'.*\bread_only\b.*\b1\b/", $world->logged()[0]);
        Sentence::assertIn(
            UnableToCount::notOpened($world->layout()->countersFile, Sentence::ANY, Sentence::ANY),
            $world->logged()[0],
        );
        self::assertNull($world->flush()->failure);
        self::assertSame(['2', '3', '1'], $world->rows());
    }

    #[Test]
    public function the_reserve_keeps_a_disk_from_getting_full(): void
    {
        $world = $this->world->withRoot('disk/buffer')->withOptions(['overflow' => 'throw'], 400_000);
        $world->append(['1']);
        self::assertNull($world->flush()->failure);
        file_put_contents("{$this->disk}/filler", str_repeat('x', 150_000));

        self::assertSame(
            ['2' => 'reserve'],
            $this->child('append by policy', ['events', '2'], world: $world)->result()['thrown'],
        );
        unlink("{$this->disk}/filler");
        self::assertSame([], $this->child('append by policy', ['events', '3'], world: $world)->result()['thrown']);
    }

    private function world(string $policy): World
    {
        return $this->world->withRoot('disk/buffer')->withOptions(['overflow' => $policy]);
    }

    private function fill(): void
    {
        @file_put_contents("{$this->disk}/filler", str_repeat('x', 1_048_576));
        clearstatcache();
        self::assertSame(0, (int) disk_free_space($this->disk));
    }

    private function mount(string ...$arguments): int
    {
        return (new Process(['mount', ...array_values($arguments)]))->run();
    }

    /** @return list<string> of events larger than what is left of the page in which the slot ends */
    private static function largeIds(int $count): array
    {
        $ids = [];

        for ($n = 1; count($ids) < $count; $n++) {
            if (strlen(Event::of("large {$n}")['body']) > 8192) {
                $ids[] = "large {$n}";
            }
        }

        return $ids;
    }
}
