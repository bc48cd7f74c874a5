<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Exceptions\CorruptState;
use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Health\DirectoryIsUnusable;
use Headroom\Spool\Health\Health;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Files that a user with write access to the buffer's directories can put there under the buffer's own names. No
 * process opens a file that could make it wait, none follows a link, and other segments and buckets are not affected.
 */
final class HostileFilesTest extends FaultTestCase
{
    /** @return iterable<string, array{string}> */
    public static function things(): iterable
    {
        foreach ([
            'a named pipe', 'a pipe with a reader', 'a socket', 'a directory', 'a link to a file',
            'a link to a device', 'a link to nothing', 'a link to itself', 'a link to a directory',
            'a link to an empty file', 'a device',
        ] as $thing) {
            yield $thing => [$thing];
        }
    }

    #[Test, Group('day-3')]
    #[TestDox('file or directory of the buffer replaced by a link')]
    #[DataProvider('things')]
    public function a_writer_takes_the_next_slot_and_the_flush_names_the_thing(string $thing): void
    {
        $this->world->append(['first']);
        $this->flush();
        $slot = $this->slot(0);
        $open = $this->put($thing, $slot);
        $this->world->append(['second']);
        self::assertFileExists($this->slot(1));
        $this->assertUntouched();

        $report = $this->world->flush();
        self::assertSame(1, $report->delivered);
        Sentence::assertIn(
            PartiallyFlushed::segmentsLeftOut(ForeignFile::notRegular($slot, Sentence::ANY), 0),
            $report->failure?->getMessage(),
        );
        self::assertSame(['first', 'second'], $this->world->rows());
        self::assertStringContainsString($slot, $this->world->status()->error ?? '');
        self::assertContains($slot, $this->problems());
        $this->assertUntouched();

        unset($open);
        $this->remove($slot);
        self::assertNull($this->world->flush()->failure);
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    #[TestDox('file or directory of the buffer replaced by a link')]
    #[DataProvider('things')]
    public function in_the_place_of_a_segment_it_stops_the_bucket_and_is_not_followed(string $thing): void
    {
        $this->world->append(['first']);
        $this->world->seal();
        $segment = $this->world->layout()->sealedSegment(1);
        rename($segment, "{$this->world->directory}/aside");
        $open = $this->put($thing, $segment);
        $report = $this->world->flush();

        Sentence::assertIn(ForeignFile::notRegular($segment, Sentence::ANY), $report->failure?->getMessage());
        self::assertSame([], $report->losses);
        self::assertSame([], $this->world->rows());
        self::assertStringContainsString($segment, $this->world->status()->error ?? '');
        $this->assertUntouched();

        unset($open);
        $this->remove($segment);
        rename("{$this->world->directory}/aside", $segment);
        $this->flush();
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    #[TestDox('file or directory of the buffer replaced by a link')]
    #[DataProvider('things')]
    public function in_the_place_of_state_lock_or_node_it_stops_the_bucket(string $thing): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->world->append(['second']);
        $layout = $this->world->layout();

        foreach ([$layout->stateFile, $layout->flushLock, "{$this->world->directory}/buffer/node"] as $path) {
            rename($path, "{$this->world->directory}/aside");
            $open = $this->put($thing, $path);
            self::assertStringContainsString($path, $this->world->flush()->failure?->getMessage() ?? '', $path);
            self::assertSame(['first'], $this->world->rows(), $path);
            $this->assertUntouched();

            unset($open);
            $this->remove($path);
            rename("{$this->world->directory}/aside", $path);
        }

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    #[TestDox('file or directory of the buffer replaced by a link')]
    public function a_directory_of_a_bucket_that_is_a_link_is_not_gone_through(): void
    {
        $this->world->append(['first']);
        $layout = $this->world->layout();
        $elsewhere = "{$this->world->directory}/elsewhere";

        foreach ([$layout->directory, ...array_slice($layout->directories(), 1)] as $path) {
            rename($path, $elsewhere);
            symlink($elsewhere, $path);
            $before = (new DirectoryListing($elsewhere))->names();

            self::assertStringContainsString($path, $this->world->flush()->failure?->getMessage() ?? '');
            self::assertNotNull($this->world->status()->error, $path);
            self::assertContains($path, $this->problems());
            self::assertSame($before, (new DirectoryListing($elsewhere))->names());
            self::assertSame([], $this->world->rows());

            unlink($path);
            rename($elsewhere, $path);
        }

        $this->flush();
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function cleaning_removes_nothing_behind_a_link(): void
    {
        foreach (['first', 'second'] as $id) {
            $this->world->append([$id]);
            $this->flush();
        }

        $completed = $this->world->layout()->completed;
        rename($completed, "{$this->world->directory}/elsewhere");
        symlink("{$this->world->directory}/elsewhere", $completed);

        try {
            $this->world->cleaner(new SetClock((int) (microtime(true) * 1e6) + 3_600_000_000))->clean(60);
            self::fail('The link was followed.');
        } catch (UnableToFlush $e) {
            Sentence::assertIn(ForeignFile::notRegular($completed, Sentence::ANY), $e->getMessage());
        }

        self::assertCount(2, $this->names("{$this->world->directory}/elsewhere"));
    }

    #[Test]
    public function a_link_in_one_bucket_to_another_s_segment_delivers_nothing_twice(): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->world->append(['second']);
        symlink($this->world->layout()->completedSegment(1), $this->world->layout()->sealedSegment(2));
        symlink($this->slot(0), $this->slot(7));

        self::assertNotNull($this->world->flush()->failure);
        self::assertSame(['first'], $this->world->rows());
        unlink($this->world->layout()->sealedSegment(2));
        unlink($this->slot(7));
    }

    /**
     * A limit: only an extra system call in each append could tell, so directory permissions alone keep others from it.
     */
    #[Test]
    public function only_a_writer_follows_a_link_to_a_file_of_even_size(): void
    {
        $this->world->append(['first']);
        $this->flush();
        file_put_contents("{$this->world->directory}/even", 'even');
        symlink("{$this->world->directory}/even", $this->slot(0));
        $this->world->append(['second']);
        $report = $this->world->flush();

        self::assertStringStartsWith("even\xF5HR\x01", (string) file_get_contents("{$this->world->directory}/even"));
        Sentence::assertIn(ForeignFile::notRegular($this->slot(0), Sentence::ANY), $report->failure?->getMessage());
        self::assertSame(['first'], $this->world->rows());
    }

    #[Test]
    public function a_hard_link_to_a_slot_delivers_nothing_twice_and_hides_no_event(): void
    {
        $this->world->append(['first']);
        link($this->slot(0), $this->slot(5));
        $report = $this->world->flush();
        Sentence::assertIn(
            ForeignFile::hardLink($this->slot(5), $this->world->layout()->sealedSegment(1)),
            $report->failure?->getMessage(),
        );
        self::assertSame(1, $report->delivered);

        rename($this->slot(5), $this->slot(0));
        $this->world->append(['second']);
        $this->flush();
        // A later round knows it for a copy of the segment, and removes the name.
        self::assertFileDoesNotExist($this->slot(0));
        $this->assertDeliveredOnce(['first', 'second']);
    }

    /** @return iterable<string, array{string, string}> a place, and what is put there */
    public static function obstacles(): iterable
    {
        foreach ([
            'active/u0-0007.log', 'sealed/00000000000000000002.seg', 'state', 'flush.lock', 'completed', 'active',
        ] as $place) {
            foreach (['a named pipe', 'a link to a file', 'a link to nothing', 'a socket'] as $thing) {
                yield "{$place}, {$thing}" => [$place, $thing];
            }
        }

        yield 'a file in the place of a directory' => ['sealed', 'a file'];
        yield 'a directory in the place of the lock' => ['flush.lock', 'a directory'];
        yield 'a directory in the place of a slot' => ['active/u0-0007.log', 'a directory'];
    }

    #[Test]
    #[DataProvider('obstacles')]
    public function status_and_health_tell_a_failed_flush_until_one_succeeds(string $place, string $thing): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->world->append(['second']);
        $path = "{$this->world->layout()->directory}/{$place}";
        $isThere = file_exists($path) && rename($path, "{$this->world->directory}/aside");
        $open = $this->put($thing, $path);

        for ($i = 0; $i < 2; $i++) {
            $failure = $this->world->flush()->failure;
            self::assertNotNull($failure);
            $status = $this->world->status();
            self::assertNotNull($status->flush->trouble ?? $status->error, $failure->getMessage());
            self::assertContains(true, array_column((new Health($this->world->runtime()))->findings(), 'fatal'));
        }

        unset($open);
        $this->remove($path);
        $isThere && rename("{$this->world->directory}/aside", $path);
        self::assertNull($this->world->runtime()->flusher()->flush('events', new FlushOptions(now: true))->failure);
        $status = $this->world->status();
        self::assertSame([null, null], [$status->flush->trouble, $status->error]);
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_segment_number_beyond_php_s_integers_is_foreign(): void
    {
        $this->world->append(['first']);
        $path = "{$this->world->layout()->sealed}/99999999999999999999.seg";
        touch($path);

        $this->flush();
        $this->assertDeliveredOnce(['first']);
        self::assertContains($path, $this->problems());
    }

    /** @return iterable<string, array{int, string, UnableToFlush}> size of the file, record, refusal */
    public static function states(): iterable
    {
        $damaged = CorruptState::ofBothRecords(Sentence::ANY);
        $strange = UnsupportedFormat::ofState(Sentence::ANY, Sentence::ANY);
        yield 'empty' => [0, '', $damaged];
        yield 'ten gigabytes of nothing' => [10_000_000_000, '', $damaged];
        yield 'nested deeply' => [8192, str_repeat('[', 1000).str_repeat(']', 1000), $strange];
        yield 'no members' => [8192, '{}', $strange];
        yield 'a list' => [8192, '[1,2]', $strange];
        yield 'members of other types' => [
            8192,
            '{"sealed":"1","accepted":{},"last_count":[],"last_inode":null,"cursor":7,"delivered":-1,"dead":0,'
                .'"planned":1,"planned_for":2}',
            $strange,
        ];
        yield 'no JSON' => [8192, "\e[31m\n", $strange];
    }

    #[Test]
    #[DataProvider('states')]
    public function a_strange_state_file_stops_the_bucket_in_little_memory_and_is_named(
        int $size,
        string $json,
        UnableToFlush $refusal,
    ): void {
        $this->world->append(['first']);
        $state = $this->world->layout()->stateFile;
        $record = "\xF5HS\x01".pack('JN', 4, strlen($json)).$json;
        file_put_contents($state, $json === '' ? '' : str_pad($record.hash('crc32c', $record, true), 4096, "\0"));
        $file = fopen($state, 'r+');
        self::assertIsResource($file);
        self::assertTrue(ftruncate($file, max(0, $size)));
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        $message = $this->world->flush()->failure?->getMessage() ?? '';

        self::assertStringContainsString($state, $message);
        Sentence::assertIn($refusal, $message);
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F]/', $message);
        self::assertLessThan(8_000_000, memory_get_peak_usage() - $memory);
        self::assertStringContainsString($state, $this->world->status()->error ?? '');
        self::assertSame([], $this->world->rows());
    }

    #[Test]
    public function the_node_id_of_another_disk_stops_a_bucket_and_sends_nothing_twice(): void
    {
        $this->world->append(['first']);
        $this->flush();
        $this->world->append(['second']);
        $path = "{$this->world->directory}/buffer/node";
        $id = (string) file_get_contents($path);
        file_put_contents($path, str_repeat('ab', 16));

        self::assertInstanceOf(LedgerMismatch::class, $this->world->flush()->failure);
        file_put_contents($path, "{$id}\n");
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    private function slot(int $number): string
    {
        return sprintf('%s/u%d-%04d.log', $this->world->layout()->active, Permissions::currentUser(), $number);
    }

    /** @return list<string> what health is about */
    private function problems(): array
    {
        return array_column((new DirectoryIsUnusable($this->world->store()))->findings(), 'subject');
    }

    /** @return mixed what has to stay open */
    private function put(string $thing, string $path): mixed
    {
        $target = "{$this->world->directory}/target";
        $empty = "{$this->world->directory}/empty";
        file_put_contents($target, 'precious.');
        touch($empty);

        return match ($thing) {
            'a named pipe' => posix_mkfifo($path, 0600),
            'a pipe with a reader' => posix_mkfifo($path, 0600) ? fopen($path, 'rn') : false,
            'a socket' => stream_socket_server("unix://{$path}"),
            'a directory' => mkdir($path),
            'a file' => touch($path),
            'a link to a file' => symlink($target, $path),
            'a link to a device' => symlink('/dev/null', $path),
            'a link to nothing' => symlink("{$this->world->directory}/nothing", $path),
            'a link to itself' => symlink($path, $path),
            'a link to a directory' => symlink($this->world->directory, $path),
            'a link to an empty file' => symlink($empty, $path),
            default => posix_geteuid() === 0 && posix_mknod($path, POSIX_S_IFCHR | 0600, 1, 3)
                ? true
                : self::markTestSkipped('Only root can make a device, and not everywhere.'),
        };
    }

    private function assertUntouched(): void
    {
        self::assertStringEqualsFile("{$this->world->directory}/target", 'precious.');
        self::assertStringEqualsFile("{$this->world->directory}/empty", '');
    }

    private function remove(string $path): void
    {
        is_dir($path) && ! is_link($path) ? rmdir($path) : unlink($path);
    }
}
