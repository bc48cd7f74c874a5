<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Programs;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The terminal while `load` runs.
 */
#[RequiresPhpExtension('posix')]
final class LoadProgressTest extends TestCase
{
    private HttpServer $server;

    protected function setUp(): void
    {
        if (! Process::isPtySupported()) {
            self::markTestSkipped('No pseudo terminal is to be had here.');
        }

        $this->server = HttpServer::start();
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->stop();
        }
    }

    #[Test]
    public function one_line_is_written_over_and_is_gone_in_the_end(): void
    {
        [$lines, $output] = $this->shown(100);

        self::assertGreaterThanOrEqual(3, count($lines), $output);
        self::assertMatchesRegularExpression(
            '~^\d\.\d s \w+ 2\.40 s  \d[\d.,]*/s  [0-3] \D+  0 \w+  p95 \d[\d.,]* ms$~',
            $lines[0],
        );
        self::assertSame('', $lines[count($lines) - 1]);
        // Neither is it cleared first nor does it begin a new line.
        self::assertDoesNotMatchRegularExpression('/\e\[[\d;]*[JH]|\r\e\[K\r[^\n]/', $output);
        self::assertStringEndsWith("\n", explode("\r{$lines[0]}", $output)[0]);
        self::assertMatchesRegularExpression('/ p50 +p90 +p95 /', $output);
    }

    #[Test]
    public function it_is_no_wider_than_the_terminal(): void
    {
        [$lines] = $this->shown(20);

        self::assertGreaterThanOrEqual(2, count($lines));
        self::assertSame(19, max(0, ...array_map(strlen(...), $lines)));
    }

    #[Test]
    public function nothing_of_it_is_in_a_pipe(): void
    {
        $process = new Process($this->command(), timeout: 60);
        $process->run();

        self::assertDoesNotMatchRegularExpression('/[\r\e]/', $process->getOutput().$process->getErrorOutput());
    }

    /** @return array{list<string>, string} the lines that were written over, and everything */
    private function shown(int $columns): array
    {
        // Symfony gives the command a terminal for its stdout and a pipe for its stderr.
        $process = new Process(
            ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...$this->command()],
            null,
            ['TERM' => 'xterm', 'COLUMNS' => (string) $columns, 'NO_COLOR' => ''],
            null,
            60,
        );
        $process->setPty(true);
        $process->run();
        preg_match_all('/\r([^\r\n]*)\e\[K/', $process->getOutput(), $lines);

        return [$lines[1], $process->getOutput()];
    }

    /** @return list<string> */
    private function command(): array
    {
        return [
            Programs::php(),
            dirname(__DIR__, 3).'/bin/headroom',
            'load',
            $this->server->url('/slow/50'),
            '--duration=2.4',
            '--concurrency=3',
        ];
    }
}
