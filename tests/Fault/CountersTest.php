<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\FileStore\State\RefusalIncident;
use Headroom\Spool\FileStore\State\UnableToCount;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The counters of refused events, when many requests count at once and any of them may die.
 */
final class CountersTest extends FaultTestCase
{
    private const BLOCK = 4096;

    protected function setUp(): void
    {
        parent::setUp();
        $this->world->append(['first']);
    }

    #[Test]
    public function the_file_is_made_with_the_bucket_in_its_full_size(): void
    {
        clearstatcache();
        self::assertSame(2 * self::BLOCK, filesize($this->world->layout()->countersFile));
        self::assertEquals(new RefusalCounts, $this->counters()->read());
    }

    #[Test]
    public function only_a_regular_file_is_read_or_written_and_no_link_is_followed(): void
    {
        $path = $this->world->layout()->countersFile;
        $others = "{$this->world->directory}/others";
        rename($path, $others);
        symlink($others, $path);
        $before = file_get_contents($others);

        foreach ([
            'read' => fn () => $this->counters()->read(),
            'update' => fn () => $this->counters()
                ->update(static fn (RefusalCounts $counts): RefusalCounts => $counts, new Permissions),
        ] as $how => $use) {
            try {
                $use();
                self::fail("{$how}: the link was followed.");
            } catch (UnableToCount $e) {
                Sentence::assertIn(UnableToCount::notOpened($path, Sentence::ANY, Sentence::ANY), $e->getMessage());
            }
        }

        self::assertSame($before, file_get_contents($others));
    }

    #[Test]
    public function no_more_is_read_than_both_records_however_large_the_file_is(): void
    {
        $file = fopen($this->world->layout()->countersFile, 'r+');
        self::assertNotFalse($file);
        ftruncate($file, 64 << 20);
        fclose($file);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        self::assertEquals(new RefusalCounts, $this->counters()->read());
        $this->counters()->update(static fn (RefusalCounts $counts): RefusalCounts => $counts, new Permissions);
        self::assertLessThan($before + (16 << 20), memory_get_peak_usage());
    }

    #[Test]
    public function many_processes_count_at_once_and_none_is_lost(): void
    {
        $children = array_map(fn (): Child => $this->child('count', ['250']), [1, 2, 3, 4]);

        foreach ($children as $child) {
            $child->result();
        }

        self::assertSame(1000, $this->dropped());
    }

    #[Test]
    #[TestWith(['counters.read', 5])]
    #[TestWith(['counters.written', 6])]
    public function a_process_killed_while_it_counts_leaves_the_count_and_no_lock(string $point, int $counted): void
    {
        $this->child('count', ['10'], ["{$point}#6" => Act::Kill])->awaitKilled();
        self::assertSame($counted, $this->dropped());
        $this->child('count', ['10'])->result();
        self::assertSame($counted + 10, $this->dropped());
    }

    #[Test, Group('day-3')]
    public function a_kill_at_any_moment_loses_no_count_that_was_made(): void
    {
        $clock = new SystemClock;
        $killed = 0;

        for ($round = 0; $round < 8; $round++) {
            $children = array_map(
                fn (int $n): Child => $this->child('count until killed', ["{$round}-{$n}"]),
                [1, 2, 3],
            );

            foreach ($children as $n => $child) {
                while ($this->acknowledged("{$round}-".($n + 1)) < 20 * ($n + 1)) {
                    self::assertTrue($child->isRunning());
                    $clock->sleep(500);
                }

                $child->kill();
                $killed++;
            }
        }

        $acknowledged = array_sum(array_map(
            fn (int $n): int => $this->acknowledged(intdiv($n, 3).'-'.($n % 3 + 1)),
            range(0, 23),
        ));
        self::assertGreaterThanOrEqual($acknowledged, $this->dropped());
        self::assertLessThanOrEqual(
            $acknowledged + $killed,
            $this->dropped(),
            'Each of them may have counted once and not said so.',
        );
    }

    #[Test]
    #[TestWith([0])]
    #[TestWith([1])]
    public function a_record_that_was_written_in_part_leaves_the_older_one(int $block): void
    {
        // Generation g lies in block g mod 2, and the fresh file holds generation 1.
        $this->child('count', [(string) (4 + $block)])->result();
        $this->damage(1 - $block);
        self::assertSame(3 + $block, $this->dropped());
        $this->child('count', ['2'])->result();
        self::assertSame(5 + $block, $this->dropped());
    }

    #[Test]
    public function two_damaged_records_are_said_and_nothing_is_made_up(): void
    {
        $this->damage(0);
        $this->damage(1);
        $status = $this->world->status();

        $damage = UnableToCount::damaged($this->world->layout()->countersFile);
        Sentence::assertIn($damage, $status->error);
        $this->world->runtime()->writerFactory()->refused('events', $this->refusal(), '{"id":"2","body":""}', 1);
        Sentence::assertIn($damage, $this->world->logged()[0]);

        unlink($this->world->layout()->countersFile);
        $this->child('count', ['1'])->result();
        self::assertSame(1, $this->dropped());
    }

    #[Test]
    public function a_process_stopped_while_it_counts_delays_others_two_seconds_at_most(): void
    {
        $this->child('hold the counters', [], ['counters.held' => Act::Stop])->awaitStopped('counters.held');
        $clock = new SetClock(1_000_000);
        $failure = null;

        try {
            (new CountersFile($this->world->layout(), $clock))->update(
                static fn (RefusalCounts $counts): RefusalCounts => $counts,
                new Permissions,
            );
        } catch (UnableToCount $e) {
            $failure = $e->getMessage();
        }

        self::assertSame(UnableToCount::locked($this->world->layout()->countersFile)->getMessage(), $failure);
        self::assertLessThan(2_100_000, $clock->micros);
    }

    #[Test]
    public function time_in_which_a_process_was_kept_from_trying_is_no_waiting(): void
    {
        CountersFile::preallocate($this->world->layout(), new Permissions);
        $other = fopen($this->world->layout()->countersFile, 'r+e');
        self::assertNotFalse($other);
        self::assertTrue(flock($other, LOCK_EX));
        $tries = 0;
        // Each wait of 200 us takes two seconds.
        $clock = new Meanwhile(static function () use ($other, &$tries): void {
            ++$tries === 3 && flock($other, LOCK_UN);
        }, 10_000);

        (new CountersFile($this->world->layout(), $clock))->update(
            static fn (RefusalCounts $counts): RefusalCounts => $counts,
            new Permissions,
        );
        self::assertSame(3, $tries);
    }

    #[Test]
    public function a_count_in_a_removed_file_is_not_taken_for_counted(): void
    {
        $removes = new CallingCheckpoint(function (string $name): void {
            $name === 'counters.opened' && unlink($this->world->layout()->countersFile);
        });

        $this->expectExceptionObject(UnableToCount::removed($this->world->layout()->countersFile));
        (new CountersFile($this->world->layout(), new SystemClock, $removes))->update(
            static fn (RefusalCounts $counts): RefusalCounts => $counts,
            new Permissions,
        );
    }

    #[Test]
    public function the_bucket_of_an_earlier_version_gets_its_counters_from_the_next_flush(): void
    {
        unlink($this->world->layout()->countersFile);
        $this->flush();
        self::assertEquals(new RefusalCounts, $this->counters()->read());
    }

    #[Test]
    public function every_reason_at_once_fits_a_record(): void
    {
        $now = PHP_INT_MAX - 1;
        $counts = new RefusalCounts(PHP_INT_MAX, [], [], $now, new RefusalIncident($now, $now, AppendFailure::Other));

        foreach (AppendFailure::cases() as $failure) {
            foreach (RefusalOutcome::cases() as $outcome) {
                $counts = $counts->with(
                    $failure,
                    $outcome,
                    $outcome === RefusalOutcome::Direct ? 0 : 1_000_000_000_000,
                    $now,
                );
            }
        }

        self::assertLessThan(self::BLOCK - 20, strlen($counts->toJson()));
        self::assertEquals($counts, RefusalCounts::fromJson($counts->toJson()));
    }

    private function refusal(): UnableToAppend
    {
        return UnableToAppend::noFreeSlot('/active', 1024);
    }

    private function counters(): CountersFile
    {
        return new CountersFile($this->world->layout(), new SystemClock);
    }

    private function dropped(): int
    {
        return $this->counters()->read()?->droppedInAll() ?? -1;
    }

    private function acknowledged(string $name): int
    {
        clearstatcache();

        return (int) @filesize("{$this->world->directory}/{$name}.ack");
    }

    private function damage(int $block): void
    {
        $file = fopen($this->world->layout()->countersFile, 'r+e');
        self::assertIsResource($file);
        fseek($file, $block * self::BLOCK + 20);
        fwrite($file, "\0\0\0\0");
        fclose($file);
    }
}
