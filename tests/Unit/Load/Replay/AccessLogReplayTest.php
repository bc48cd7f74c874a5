<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Replay;

use Headroom\Load\Replay\AccessLogReplay;
use Headroom\Load\Target;
use Headroom\Process\Programs;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Host\Log\Envelope\Envelopes;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

final class AccessLogReplayTest extends DirectoryTestCase
{
    /** @return iterable<string, array{int}> */
    public static function rates(): iterable
    {
        yield 'a hundred in a second' => [100];
        yield 'all in one second' => [PHP_INT_MAX];
    }

    #[Test]
    #[DataProvider('rates')]
    public function as_much_is_held_of_a_long_log_as_of_a_short_one(int $perSecond): void
    {
        $short = $this->log('short.gz', 20_000, $perSecond);
        $many = Sample::number(60_000, 200_000);
        $long = $this->log('long.gz', $many, $perSecond);
        $this->held($short, 20_000);

        self::assertLessThan($this->held($short, 20_000) + 2_000_000, $this->held($long, $many));
    }

    #[Test]
    public function requests_of_a_full_second_come_in_their_order_and_spread_over_it(): void
    {
        $source = $this->source($this->log('full.gz', 50_000, 40_000));

        foreach ([
            0 => 0.0,
            1 => 1 / 40_000,
            39_999 => 39_999 / 40_000,
            40_000 => 1.0,
            40_001 => 1.0001,
            49_999 => 1.9999,
        ] as $number => $seconds) {
            self::assertEqualsWithDelta($seconds, $source->secondsUntil($number), 1e-9);
            self::assertStringEndsWith("/articles/{$number}", (string) $source->next($number)?->target->url);
        }

        self::assertNull($source->secondsUntil(50_000));
    }

    #[Test]
    public function requests_are_due_in_their_order_with_their_distances_divided_by_the_speed(): void
    {
        $lines = array_map(
            static fn (int $second): string => sprintf(
                '192.0.2.1 - - [17/May/2015:10:05:%02d +0000] "GET /%d HTTP/1.1" 200 5 "-" "x"',
                $second,
                $second,
            ),
            [0, 4, 2, 8, 8],
        );
        $log = $this->directory->write('access.log', implode("\n", $lines)."\n");
        $source = AccessLogReplay::open($log, Target::fromUrl('http://127.0.0.1:1/'), 8.0, 1.05);

        foreach ([[0.0, '/0'], [0.25, '/2'], [0.5, '/4'], [1.0, '/8']] as $number => [$seconds, $path]) {
            self::assertSame($seconds, $source->secondsUntil($number));
            self::assertStringEndsWith($path, (string) $source->next($number)?->target->url);
        }

        // The second of one second comes in the middle of it, and that is after the end here.
        self::assertNull($source->secondsUntil(4));
    }

    #[Test]
    public function a_full_second_without_room_is_sent_as_far_as_it_was_read(): void
    {
        $log = $this->log('full.gz', 80_000, PHP_INT_MAX);
        $code = '$source = Headroom\Load\Replay\AccessLogReplay::open($argv[2], Headroom\Load\Target::fromUrl("http://127.0.0.1:1/"), 1.0, null);
            for ($n = 0; $source->secondsUntil($n) !== null; $n++);
            echo json_encode([$n, $source->log()->trouble]);';
        $process = new Process(
            [
                Programs::php(),
                '-d',
                "sys_temp_dir={$this->directory->path}/gone",
                '-r',
                "require \$argv[1]; {$code}",
                '--',
                dirname(__DIR__, 4).'/vendor/autoload.php',
                $log,
            ],
            env: ['TMPDIR' => false],
        );
        $process->mustRun();
        [$sent, $trouble] = (array) json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsInt($sent);
        self::assertIsString($trouble);
        self::assertGreaterThan(10_000, $sent);
        self::assertLessThan(80_000, $sent);
        self::assertStringContainsString(" {$sent} ", $trouble);
        self::assertStringContainsString("{$this->directory->path}/gone", $trouble);
    }

    #[Test]
    public function a_log_is_sent_again_from_each_envelope(): void
    {
        $lines = array_map(
            static fn (int $second): array => [
                'nginx',
                "192.0.2.1 - - [17/May/2015:10:05:0{$second} +0000] \"GET /{$second} HTTP/1.1\" 200 5 \"-\" \"x\"",
            ],
            [0, 2, 4],
        );

        foreach ((new Envelopes(4711))->around($lines) as $tool => $file) {
            $source = $this->source($this->directory->write('wrapped.log', $file));
            $sent = array_map(
                static fn (int $number): array => [
                    $source->secondsUntil($number),
                    $source->next($number)?->target->url,
                ],
                [0, 1, 2],
            );

            self::assertSame(
                [[0.0, 'http://127.0.0.1:1/0'], [2.0, 'http://127.0.0.1:1/2'], [4.0, 'http://127.0.0.1:1/4']],
                $sent,
                $tool,
            );
            self::assertNull($source->secondsUntil(3));
        }
    }

    private function source(string $log): AccessLogReplay
    {
        return AccessLogReplay::open($log, Target::fromUrl('http://127.0.0.1:1/'), 1.0, null);
    }

    /** Bytes, at the most, of all that is in memory. */
    private function held(string $log, int $requests): int
    {
        gc_collect_cycles();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $source = $this->source($log);

        $number = 0;

        while ($source->secondsUntil($number) !== null) {
            $source->next($number++);
        }

        self::assertSame($requests, $number);

        return memory_get_peak_usage() - $before;
    }

    private function log(string $name, int $requests, int $perSecond): string
    {
        $file = gzopen($this->directory->file($name), 'wb1');
        self::assertNotFalse($file);

        for ($i = 0; $i < $requests; $i++) {
            $time = gmdate('d/M/Y:H:i:s', 1_431_857_100 + intdiv($i, $perSecond));
            gzwrite(
                $file,
                "192.0.2.1 - - [{$time} +0000] \"GET /articles/{$i} HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0\"\n",
            );
        }

        gzclose($file);

        return $this->directory->file($name);
    }
}
