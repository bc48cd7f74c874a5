<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server\Metrics;

use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SapiCountersTest extends TestCase
{
    private TemporaryDirectory $home;

    protected function setUp(): void
    {
        $this->home = TemporaryDirectory::create('counters');
    }

    protected function tearDown(): void
    {
        $this->home->remove();
    }

    #[Test]
    public function numbers_add_up_over_processes_that_write_at_once(): void
    {
        $processes = [];
        $code = sprintf(
            'require %s; $c = new Headroom\Collector\Server\Metrics\SapiCounters(%s); for ($i = 0; $i < 500;'
                .' $i++) { $c->add(["a" => 1, "b{x=\"y\"}" => 2]); }',
            var_export(dirname(__DIR__, 5).'/vendor/autoload.php', true),
            var_export($this->home->file('a/counters'), true),
        );

        for ($number = 0; $number < 4; $number++) {
            $process = proc_open([PHP_BINARY, '-r', $code], [], $pipes);
            self::assertIsResource($process);
            $processes[] = $process;
        }

        foreach ($processes as $process) {
            self::assertSame(0, proc_close($process));
        }

        self::assertSame(
            ['a' => 2_000, 'b{x="y"}' => 4_000],
            (new SapiCounters($this->home->file('a/counters')))->sum(),
        );
    }

    #[Test]
    public function a_process_that_holds_a_file_keeps_no_other_waiting(): void
    {
        $counters = new SapiCounters($this->home->file('counters'));
        $counters->add(['a' => 1]);
        $files = glob($this->home->file('counters').'/*.json');
        self::assertIsArray($files);
        self::assertCount(1, $files);
        $held = fopen($files[0], 'r');
        self::assertIsResource($held);
        self::assertTrue(flock($held, LOCK_SH));
        $counters->add(['a' => 1]);

        self::assertSame(['a' => 2], $counters->sum());
        self::assertCount(2, (array) glob($this->home->file('counters').'/*.json'));
    }

    #[Test]
    public function a_file_has_the_mode_of_the_buffer_and_its_final_size(): void
    {
        (new SapiCounters($this->home->file('counters'), 0770, 0660))->add(['a' => 1]);
        $files = glob($this->home->file('counters').'/*.json');
        self::assertIsArray($files);
        self::assertSame(
            [0770, 0660, 4_096],
            [fileperms($this->home->file('counters')) & 0777, fileperms($files[0]) & 0777, filesize($files[0])],
        );
    }

    #[Test]
    public function a_counter_that_cannot_be_written_is_no_error(): void
    {
        file_put_contents($this->home->file('counters'), 'a file in its place');
        $counters = new SapiCounters($this->home->file('counters'));
        $counters->add(['a' => 1]);
        self::assertSame([], $counters->sum());
    }
}
