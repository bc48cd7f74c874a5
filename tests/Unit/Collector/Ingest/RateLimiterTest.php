<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\RateLimit\RateLimiter;
use Headroom\Collector\Ingest\RateLimit\SlidingWindow;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class RateLimiterTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('rates');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function no_second_wherever_it_begins_has_more_than_the_rate(): void
    {
        $seed = random_int(1, 1_000_000);
        $random = new Randomizer(new Mt19937($seed));

        foreach ([1, 7, 49] as $rate) {
            $key = new ApiKey("r{$rate}", 'k', rate: $rate);
            $workers = [$this->rates(), $this->rates()];
            $let = [];

            for ($now = PipelineHarness::NOW; $now
                < PipelineHarness::NOW + 6_000_000; $now += $random->getInt(0, 30_000)) {
                if ($this->takes($workers[$random->getInt(0, 1)], $key, 1, $now)) {
                    $let[] = $now;
                }
            }

            self::assertGreaterThanOrEqual(
                (int) floor($rate * 5.5),
                count($let),
                "Seed {$seed}: almost all of the rate is let in.",
            );

            foreach ($let as $number => $at) {
                self::assertLessThanOrEqual(
                    $rate,
                    count(array_filter(
                        array_slice($let, $number),
                        static fn (int $other): bool => $other - $at < 1_000_000,
                    )),
                    "Seed {$seed}, rate {$rate}",
                );
            }
        }
    }

    #[Test]
    public function processes_share_it(): void
    {
        // Real processes over one file; the time is told to them, so that no clock decides.
        $script = $this->directory->write('take.php', <<<'PHP'
            <?php
            require $argv[1];
            $rates = Headroom\Collector\Ingest\RateLimit\RateLimiter::below($argv[2], new Headroom\Core\SystemClock);
            $key = new Headroom\Collector\Ingest\Authentication\ApiKey('shared', 'k', rate: 1000);
            $let = 0;
            for ($try = 0; $try < 2000; $try++) {
                try { $rates->acquire($key, 1, (int) $argv[3]); $let++; } catch (Headroom\Collector\Ingest\RequestError $e) { if ($e->reason->value === 'rate_unavailable') { $try--; } }
            }
            echo $let;
            PHP);

        foreach ([0 => 1_000, 500_000 => 0, 1_020_000 => 1_000] as $after => $expected) {
            $children = [];

            for ($child = 0; $child < 4; $child++) {
                $process = proc_open(
                    [
                        PHP_BINARY,
                        $script,
                        dirname(__DIR__, 4).'/vendor/autoload.php',
                        $this->directory->path,
                        (string) (PipelineHarness::NOW + $after),
                    ],
                    [1 => ['pipe', 'w']],
                    $pipes,
                );
                self::assertIsResource($process);
                $children[] = [$process, $pipes[1]];
            }

            $let = 0;

            foreach ($children as [$process, $pipe]) {
                $let += (int) stream_get_contents($pipe);
                self::assertSame(0, proc_close($process));
            }

            // A lease is lost with its process. Here no process ends before everything is leased.
            self::assertSame($expected, $let);
        }
    }

    #[Test]
    public function a_lease_is_counted_when_it_is_taken_and_lost_when_it_is_old(): void
    {
        $key = new ApiKey('lease', 'k', rate: 100);
        [$one, $other] = [$this->rates(), $this->rates()];

        self::assertTrue($this->takes($one, $key, 8, PipelineHarness::NOW), 'Eight, and two in advance.');
        self::assertTrue($this->takes($other, $key, 90, PipelineHarness::NOW));
        self::assertFalse($this->takes($other, $key, 1, PipelineHarness::NOW));
        self::assertTrue($this->takes($one, $key, 1, PipelineHarness::NOW + 99_999));
        self::assertFalse($this->takes($one, $key, 1, PipelineHarness::NOW + 100_000));
    }

    #[Test]
    public function a_refusal_says_when_to_come_again(): void
    {
        $key = new ApiKey('again', 'k', rate: 10);
        $rates = $this->rates();
        $rates->acquire($key, 10, PipelineHarness::NOW);

        try {
            $rates->acquire($key, 4, PipelineHarness::NOW + 10_000);
            self::fail('It must be refused.');
        } catch (RequestError $e) {
            self::assertSame(
                ['Retry-After' => '2', 'RateLimit-Policy' => '"events";q=10;w=1', 'RateLimit' => '"events";r=0;t=2'],
                $e->headers,
            );
        }

        self::assertTrue($this->takes($rates, $key, 10, PipelineHarness::NOW + 2_010_000));
        self::assertSame(
            SlidingWindow::BYTES,
            filesize($this->directory->file('collector/rates/again.rate')),
            'However long it goes on.',
        );
    }

    #[Test]
    public function damage_and_a_clock_set_back_let_nothing_in_for_a_second(): void
    {
        $key = new ApiKey('hurt', 'k', rate: 5);
        $path = $this->directory->file('collector/rates/hurt.rate');
        self::assertTrue($this->takes($this->rates(), $key, 1, PipelineHarness::NOW));

        foreach (['x', str_repeat('x', SlidingWindow::BYTES + 1)] as $number => $damage) {
            file_put_contents($path, $damage);
            $now = PipelineHarness::NOW + 10_000_000 * ($number + 1);
            self::assertFalse($this->takes($this->rates(), $key, 1, $now), $damage);
            self::assertFalse($this->takes($this->rates(), $key, 1, $now + 999_999), $damage);
            self::assertTrue($this->takes($this->rates(), $key, 5, $now + 1_020_000), 'A second ends.');
        }

        unlink($path);
        self::assertTrue($this->takes($this->rates(), $key, 5, PipelineHarness::NOW + 60_000_000));
        self::assertFalse($this->takes($this->rates(), $key, 1, PipelineHarness::NOW), 'An hour ago is not now.');
        self::assertTrue(
            $this->takes($this->rates(), $key, 5, PipelineHarness::NOW + 1_020_000),
            'It goes on from there.',
        );
    }

    #[Test]
    public function a_killed_holder_leaves_no_lock_and_a_stopped_one_is_not_waited_for(): void
    {
        $key = new ApiKey('held', 'k', rate: 5);
        self::assertTrue($this->takes($this->rates(), $key, 1, PipelineHarness::NOW));
        $code = '$f = fopen($argv[1], "c+"); flock($f, LOCK_EX); echo "held"; fflush(STDOUT); sleep(60);';
        $process = proc_open(
            [PHP_BINARY, '-r', $code, $this->directory->file('collector/rates/held.rate')],
            [1 => ['pipe', 'w']],
            $pipes,
        );
        self::assertIsResource($process);
        self::assertSame('held', fread($pipes[1], 4));

        try {
            $this->rates()->acquire($key, 1, PipelineHarness::NOW);
            self::fail('It must not be let in.');
        } catch (RequestError $e) {
            self::assertSame('rate_unavailable', $e->reason->value);
        } finally {
            proc_terminate($process, SIGKILL);
            proc_close($process);
        }

        self::assertTrue($this->takes($this->rates(), $key, 1, PipelineHarness::NOW));
    }

    private function rates(): RateLimiter
    {
        return RateLimiter::below($this->directory->path, new SystemClock);
    }

    /** @param int<1, max> $count */
    private function takes(RateLimiter $rates, ApiKey $key, int $count, int $now): bool
    {
        try {
            $rates->acquire($key, $count, $now);

            return true;
        } catch (RequestError $e) {
            self::assertSame('rate_limited', $e->reason->value, $e->getMessage());

            return false;
        }
    }
}
