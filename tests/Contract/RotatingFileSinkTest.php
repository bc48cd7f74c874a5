<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Retryable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\File\Gzip;
use Headroom\Sink\File\Rotation;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Fault\Support\SetClock;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The file sink when it sets its file aside after each few lines, and compresses what was set aside.
 */
final class RotatingFileSinkTest extends AtLeastOnceContract
{
    private TemporaryDirectory $directory;

    private SetClock $clock;

    private string $file = '';

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('rotating');
        $this->clock = new SetClock(1_772_600_000_000_000);
        $this->file = $this->directory->file('audit.ndjson');
    }

    protected function tearDown(): void
    {
        (new Filesystem)->deleteDirectory($this->directory->path);
    }

    public function createSink(): FileSink
    {
        return $this->sink(new Rotation(1024, gzip: true));
    }

    public function arrived(): array
    {
        $lines = [];

        foreach ([...$this->aside(), 'audit.ndjson'] as $name) {
            $content = (string) @file_get_contents($this->directory->file($name));
            $text = str_ends_with($name, '.gz') ? (string) gzdecode($content) : $content;
            array_push($lines, ...($text === '' ? [] : explode("\n", rtrim($text, "\n"))));
        }

        return array_map(static function (string $line): Arrived {
            /** @var array<string, mixed> $values */
            $values = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            $id = $values['_id'] ?? null;
            unset($values['_id'], $values['_accepted_at']);

            return new Arrived($values, is_string($id) ? $id : null);
        }, $lines);
    }

    /** A device that is always full. */
    public function obstruct(): void
    {
        if (is_file($this->file)) {
            rename($this->file, $this->directory->file('elsewhere'));
        }

        symlink('/dev/full', $this->file);
    }

    public function clear(): void
    {
        unlink($this->file);

        if (is_file($this->directory->file('elsewhere'))) {
            rename($this->directory->file('elsewhere'), $this->file);
        }
    }

    #[Test]
    public function a_file_is_set_aside_before_it_grows_too_large(): void
    {
        $this->write(...range(1, 30));

        self::assertSame(range(1, 30), $this->numbers());
        self::assertGreaterThan(2, count($this->aside()));

        foreach ($this->aside() as $n => $name) {
            self::assertMatchesRegularExpression(sprintf('/^audit-\d{8}-\d{6}-%06d\.ndjson\.gz$/', $n + 1), $name);
            self::assertLessThanOrEqual(
                1024,
                strlen((string) gzdecode((string) file_get_contents($this->directory->file($name)))),
            );
        }

        clearstatcache();
        self::assertLessThanOrEqual(1024, filesize($this->file));
        self::assertFileDoesNotExist("{$this->file}.new");
    }

    #[Test]
    public function the_new_file_has_the_mode_of_the_old_one(): void
    {
        $this->write(1);
        chmod($this->file, 0640);
        $this->write(...range(2, 10));
        clearstatcache();

        self::assertSame(
            [0640, 0640],
            [fileperms($this->file) & 0777, fileperms($this->directory->file($this->aside()[0])) & 0777],
        );
    }

    #[Test]
    public function a_days_file_is_set_aside_with_the_first_event_of_another_day(): void
    {
        $sink = $this->sink(new Rotation(null));
        $now = 1_772_600_000;

        foreach ([$now, $now + 3600, $now + 86_400, $now + 86_500, $now - 864_000, $now - 864_000] as $n => $time) {
            $this->clock->micros = 1_000_000 * $time;
            $sink->deliver($this->log()->delivery([['n' => $n]]));
            touch($this->file, $time);
        }

        self::assertSame(
            [2, 2, 2],
            array_map(
                fn (string $name): int => count((array) file($this->directory->file($name))),
                [...$this->aside(), 'audit.ndjson'],
            ),
        );
        self::assertSame(range(0, 5), $this->numbers(), 'The number in the name says the order, and not the time.');
    }

    #[Test]
    public function only_the_newest_files_are_kept_and_no_name_is_used_twice(): void
    {
        $this->directory->write('audit-notes.ndjson', 'mine');
        $this->directory->write('audit-20260101-000000-000007.ndjson.gz', 'of an earlier time');
        $this->write(...range(1, 30));
        $before = $this->aside();
        self::assertStringEndsWith('-000008.ndjson.gz', $before[1]);
        self::assertSame('of an earlier time', file_get_contents($this->directory->file($before[0])));

        $this->sink(new Rotation(1024, gzip: true, keep: 2))->deliver($this->log()->delivery([['n' => 31]]));
        self::assertCount(2, $this->aside());
        self::assertContains($before[count($before) - 1], $this->aside(), 'The newest ones.');
        self::assertFileExists($this->directory->file('audit-notes.ndjson'));
    }

    #[Test]
    public function a_reader_that_has_the_file_open_reads_it_to_its_end(): void
    {
        $this->write(1);
        $reader = fopen($this->file, 'r');
        self::assertIsResource($reader);
        $this->write(...range(2, 30));

        self::assertStringContainsString('"n":1}', (string) stream_get_contents($reader));
        fclose($reader);
    }

    #[Test]
    public function after_logrotate_moved_the_file_a_delivery_begins_a_new_one(): void
    {
        $sink = new FileSink($this->file);
        $sink->deliver($this->log()->delivery([['n' => 1]]));
        rename($this->file, "{$this->file}.1");
        $sink->deliver($this->log()->delivery([['n' => 2]]));

        self::assertSame([1, 1], [count((array) file("{$this->file}.1")), count((array) file($this->file))]);
    }

    #[Test]
    public function a_file_set_aside_while_a_writer_waits_gets_no_more_lines(): void
    {
        $this->write(1);
        // Not for the child.
        $held = fopen($this->file, 'ae');
        self::assertIsResource($held);
        flock($held, LOCK_EX);
        $waiting = proc_open(
            [PHP_BINARY, __DIR__.'/Support/fixtures/append-line.php', $this->file],
            [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        self::assertIsResource($waiting);
        $this->awaitLockWaiter(proc_get_status($waiting)['pid']);
        rename($this->file, "{$this->file}.1");
        fclose($held);
        stream_get_contents($pipes[1]);
        proc_close($waiting);

        self::assertCount(1, (array) file("{$this->file}.1"));
        self::assertCount(1, (array) file($this->file));
    }

    #[Test]
    public function the_next_delivery_completes_a_rotation_that_a_kill_interrupted(): void
    {
        $this->write(1, 2);
        link($this->file, $this->directory->file('audit-20260101-000000-000001.ndjson'));
        $this->directory->write('audit-20260101-000000-000001.ndjson.gz.tmp', 'half');
        $this->directory->write('audit.ndjson.new', 'half');
        $this->write(3);

        self::assertSame(['audit-20260101-000000-000001.ndjson.gz'], $this->aside());
        self::assertSame([1, 2, 3], $this->numbers());
    }

    #[Test]
    public function a_file_that_cannot_be_compressed_stays_and_events_are_still_delivered(): void
    {
        $this->write(1);
        $aside = $this->directory->file('audit-20260101-000000-000001.ndjson');
        file_put_contents($aside, str_repeat("{}\n", 1000));
        mkdir("{$aside}.gz.tmp");
        $this->write(2);

        self::assertStringEqualsFile($aside, str_repeat("{}\n", 1000));
        self::assertFileDoesNotExist("{$aside}.gz");
        rmdir("{$aside}.gz.tmp");
        $this->write(3);
        self::assertFileDoesNotExist($aside);
        self::assertSame(str_repeat("{}\n", 1000), gzdecode((string) file_get_contents("{$aside}.gz")));
    }

    #[Test]
    public function a_host_without_touch_compresses_files_too(): void
    {
        file_put_contents($aside = $this->directory->file('audit-20260101-000000-000001.ndjson'), '{}');
        $code = 'require $argv[1]; exit('.Gzip::class.'::compress($argv[2]) ? 0 : 1);';
        $autoload = dirname(__DIR__, 2).'/vendor/autoload.php';
        $process = new Process([PHP_BINARY, '-d', 'disable_functions=touch', '-r', $code, $autoload, $aside]);

        self::assertSame(0, $process->run(), $process->getOutput().$process->getErrorOutput());
        self::assertSame('{}', gzdecode((string) file_get_contents("{$aside}.gz")));
    }

    #[Test]
    public function nothing_is_written_through_a_link_that_lies_in_the_way(): void
    {
        $this->write(1);
        $aside = $this->directory->file('audit-20260101-000000-000001.ndjson');
        file_put_contents($aside, "{}\n");
        $this->directory->write('victim', 'mine');
        symlink($this->directory->file('victim'), "{$aside}.gz.tmp");
        symlink($this->directory->file('victim'), "{$this->file}.new");
        $this->write(...range(2, 10));

        self::assertStringEqualsFile($this->directory->file('victim'), 'mine');
        self::assertFileExists("{$aside}.gz");
        self::assertFalse(is_link($this->file));
    }

    #[Test]
    public function a_file_that_is_not_compressed_yet_is_a_note_of_health(): void
    {
        $this->write(1);
        $this->directory->write('audit-20260101-000000-000001.ndjson', "{}\n");
        $problems = $this->createSink()->inspect();

        self::assertSame([false], array_map(static fn ($problem): bool => $problem->fatal, $problems));
        self::assertMatchesRegularExpression('/(?<![\w-])1(?![\w-])/', $problems[0]->message);
        self::assertStringContainsString('audit-20260101-000000-000001.ndjson', $problems[0]->message);
        $this->write(2);
        self::assertSame([], $this->createSink()->inspect());
    }

    #[Test]
    public function a_file_that_another_process_compresses_is_left_alone(): void
    {
        $this->directory->write('other', 'lines');
        $held = fopen($this->directory->file('other'), 'r');
        self::assertIsResource($held);
        flock($held, LOCK_EX);

        self::assertFalse(Gzip::compress($this->directory->file('other')));
        fclose($held);
        self::assertTrue(Gzip::compress($this->directory->file('other')));
        self::assertSame('lines', gzdecode((string) file_get_contents($this->directory->file('other.gz'))));
    }

    #[Test]
    public function a_large_file_takes_no_more_memory_than_a_small_one(): void
    {
        $file = fopen($this->directory->file('large'), 'w');
        self::assertIsResource($file);

        for ($n = 0; $n < 64; $n++) {
            fwrite($file, str_repeat(bin2hex(random_bytes(32))."\n", 16_132));
        }

        fclose($file);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        self::assertTrue(Gzip::compress($this->directory->file('large')));

        self::assertLessThan(2_097_152, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function a_symlink_stays_where_it_is_and_its_target_is_set_aside(): void
    {
        mkdir($this->directory->file('disk'));
        symlink($this->directory->file('disk/real.log'), $this->file);
        $this->write(...range(1, 10));

        self::assertTrue(is_link($this->file));
        self::assertNotSame([], glob($this->directory->file('disk/real-*.log.gz')));
        self::assertSame([], $this->createSink()->inspect());
        $this->createSink()->sync();
    }

    #[Test]
    public function a_directory_that_takes_no_new_file_is_a_problem_and_a_retryable_failure(): void
    {
        symlink('/dev/null', $this->file);
        self::assertTrue($this->createSink()->inspect()[0]->fatal ?? false);
        $this->createSink()->deliver($this->log()->delivery([['n' => 1]]));
        unlink($this->file);
        mkdir("{$this->file}.new");
        $this->write(...range(1, 2));

        self::assertInstanceOf(
            Retryable::class,
            $this->failureOf(
                $this->createSink(),
                $this->log()->delivery(array_map(static fn (int $n): array => ['n' => $n], range(1, 30))),
            ),
        );
        self::assertSame([1, 2], $this->numbers(), 'Nothing of the delivery that failed, and nothing twice.');
    }

    private function sink(Rotation $rotation): FileSink
    {
        return new FileSink($this->file, $rotation, $this->clock);
    }

    private function write(int ...$numbers): void
    {
        $sink = $this->createSink();

        foreach ($numbers as $n) {
            $sink->deliver($this->log()->delivery([['n' => $n]]));
        }
    }

    /** @return list<mixed> */
    private function numbers(): array
    {
        return array_map(static fn (Arrived $arrived): mixed => $arrived->values['n'] ?? null, $this->arrived());
    }

    /** @return list<string> in the order of their numbers */
    private function aside(): array
    {
        $names = array_values(array_filter(
            (array) scandir($this->directory->path),
            static fn (mixed $name): bool
                => preg_match('/^audit-\d{8}-\d{6}-\d{6}\.ndjson(\.gz)?$/', (string) $name) === 1,
        ));
        usort($names, static fn (mixed $a, mixed $b): int => substr((string) $a, 22) <=> substr((string) $b, 22));

        return array_map(strval(...), $names);
    }

    private function awaitLockWaiter(int $pid): void
    {
        for ($looks = 0; $looks < 100_000
            && ! str_contains((string) @file_get_contents("/proc/{$pid}/wchan"), 'lock')
            && preg_match('/-> FLOCK\s+ADVISORY\s+WRITE\s+'.$pid.' /', (string) file_get_contents('/proc/locks'))
                !== 1; $looks++) {
            clearstatcache();
        }
    }
}
