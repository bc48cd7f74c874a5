<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Preload;

use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Bench\Preload\WorkerUsage;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WorkerUsageTest extends TestCase
{
    private TemporaryDirectory $proc;

    protected function setUp(): void
    {
        $this->proc = TemporaryDirectory::create('proc');
        mkdir($this->proc->file('7'));
    }

    protected function tearDown(): void
    {
        $this->proc->remove();
    }

    #[Test]
    public function the_time_on_a_cpu_is_the_first_number(): void
    {
        $this->proc->write('7/schedstat', "343356404 167670 134\n");

        self::assertSame(343_356_404, (new WorkerUsage($this->proc->path))->cpuNanos(7));
    }

    /** @return iterable<string, array{?string}> */
    public static function silent(): iterable
    {
        yield 'without the file' => [null];
        yield 'with noughts' => ["0 0 0\n"];
        yield 'with an empty file' => [''];
    }

    #[Test]
    #[DataProvider('silent')]
    public function a_kernel_that_does_not_count_is_no_measure(?string $text): void
    {
        if ($text !== null) {
            $this->proc->write('7/schedstat', $text);
        }

        $this->expectExceptionObject(UnableToMeasure::noCpuTime($this->proc->file('7/schedstat')));

        (new WorkerUsage($this->proc->path))->cpuNanos(7);
    }

    #[Test]
    public function memory_is_the_proportional_set(): void
    {
        $this->proc->write(
            '7/smaps_rollup',
            "563f1e592000-7ffe2499e000 ---p 00000000 00:00 0  [rollup]\nRss:               29796 kB\nPss:"
                ."               28288 kB\nPss_Dirty:          6856 kB\n",
        );

        self::assertSame(28_288 * 1024, (new WorkerUsage($this->proc->path))->bytes(7));
    }

    #[Test]
    public function a_worker_whose_memory_may_not_be_seen_is_reported(): void
    {
        $this->expectExceptionObject(UnableToMeasure::noMemory($this->proc->file('7/smaps_rollup')));

        (new WorkerUsage($this->proc->path))->bytes(7);
    }
}
