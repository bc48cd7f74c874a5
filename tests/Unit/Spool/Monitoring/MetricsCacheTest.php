<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Monitoring;

use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Monitoring\MetricsCache;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;
use RuntimeException;

final class MetricsCacheTest extends TestCase
{
    private TemporaryDirectory $home;

    private ManualClock $clock;

    private int $reads = 0;

    protected function setUp(): void
    {
        $this->home = TemporaryDirectory::create('metrics');
        $this->clock = new ManualClock;
        $this->clock->sleep(1_000_000_000);
    }

    protected function tearDown(): void
    {
        $this->home->remove();
    }

    /** Reading takes so many milliseconds. */
    private function text(int $milliseconds = 0, string $name = 'metrics'): ?string
    {
        return $this->cache($name)->text(function () use ($milliseconds): string {
            $this->clock->sleep($milliseconds * 1_000);

            return 'text '.++$this->reads."\n";
        });
    }

    private function cache(string $name = 'metrics'): MetricsCache
    {
        return new MetricsCache($this->home->file($name), new Permissions, $this->clock);
    }

    #[Test]
    #[TestWith([0, 1_000])]
    #[TestWith([50, 1_000])]
    #[TestWith([3_000, 30_000])]
    public function the_buffer_is_read_for_at_most_a_tenth_of_the_time(int $cost, int $kept): void
    {
        self::assertSame("text 1\n", $this->text($cost));
        $this->clock->sleep($kept * 1_000 - 1);
        self::assertSame("text 1\n", $this->text($cost));
        $this->clock->sleep(1);
        self::assertSame("text 2\n", $this->text($cost));
    }

    #[Test]
    public function a_damaged_file_is_never_shown(): void
    {
        $random = new Randomizer(new Mt19937(34));
        $path = $this->home->file('metrics');
        $this->text();
        $whole = (string) file_get_contents($path);

        for ($number = 0; $number < 300; $number++) {
            $place = $random->getInt(0, strlen($whole) - 1);
            $damaged = match ($number % 3) {
                0 => substr($whole, 0, $place),
                1 => substr_replace($whole, $random->getBytes(1), $place, 1),
                default => $random->getBytes($random->getInt(1, 200)),
            };
            file_put_contents($path, $damaged);
            self::assertMatchesRegularExpression('/\Atext \d+\n\z/', (string) $this->text(), bin2hex($damaged));
        }
    }

    #[Test]
    public function a_shorter_text_replaces_a_longer_one(): void
    {
        $long = str_repeat('x', 100_000);
        self::assertSame($long, $this->cache()->text(static fn (): string => $long));
        $this->clock->sleep(1_000_000);
        $this->text();

        self::assertSame("text 1\n", $this->text());
        self::assertLessThan(100, filesize($this->home->file('metrics')));
    }

    #[Test]
    public function a_clock_that_was_set_back_keeps_no_text_for_longer(): void
    {
        $this->text();
        $this->clock = new ManualClock;

        self::assertSame("text 2\n", $this->text());
    }

    #[Test]
    public function no_text_is_kept_for_more_than_ten_minutes(): void
    {
        $head = implode(' ', [$this->clock->micros(), PHP_INT_MAX, 4, crc32('text')]);
        $this->home->write('metrics', "{$head}\ntext");
        $this->clock->sleep(599_999_999);
        self::assertSame('text', $this->text());
        $this->clock->sleep(1);
        self::assertSame("text 1\n", $this->text());
    }

    #[Test]
    public function while_another_process_reads_an_older_text_is_shown(): void
    {
        $this->text();
        $held = $this->hold();
        $this->clock->sleep(59_000_000);
        self::assertSame("text 1\n", $this->text());

        $this->clock->sleep(1_000_000);
        $before = $this->clock->micros();
        self::assertNull($this->text());
        self::assertEqualsWithDelta(5_000_000, $this->clock->micros() - $before, 100_000);
        self::assertSame(1, $this->reads);

        fclose($held);
        self::assertSame("text 2\n", $this->text());
    }

    /** @return resource */
    private function hold()
    {
        $file = fopen($this->home->file('metrics'), 'r');
        self::assertIsResource($file);
        self::assertTrue(flock($file, LOCK_EX));

        return $file;
    }

    #[Test]
    public function a_failure_to_read_is_not_kept(): void
    {
        try {
            $this->cache()->text(static fn (): string => throw new RuntimeException('not now'));
            self::fail('There was no exception.');
        } catch (RuntimeException $e) {
            self::assertSame('not now', $e->getMessage());
        }

        self::assertSame("text 1\n", $this->text());
    }

    #[Test]
    public function without_the_directory_of_the_buffer_it_creates_nothing(): void
    {
        self::assertSame(["text 1\n", "text 2\n"], [$this->text(0, 'gone/metrics'), $this->text(0, 'gone/metrics')]);
        self::assertDirectoryDoesNotExist($this->home->file('gone'));
    }

    #[Test]
    public function it_follows_no_link_and_opens_no_directory(): void
    {
        $this->home->write('other', 'precious');
        symlink($this->home->file('other'), $this->home->file('link'));
        mkdir($this->home->file('directory'));

        self::assertSame("text 1\n", $this->text(0, 'link'));
        self::assertSame("text 2\n", $this->text(0, 'directory'));
        self::assertSame('precious', file_get_contents($this->home->file('other')));
    }

    #[Test]
    public function the_file_has_the_mode_of_the_buffer(): void
    {
        (new MetricsCache($this->home->file('shared'), new Permissions(0770, 0660), $this->clock))
            ->text(static fn (): string => 'text');

        self::assertSame(0660, fileperms($this->home->file('shared')) & 0777);
    }
}
