<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Process\Programs;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * wrk as the client, with one thread: a client in PHP would be slower than the servers.
 */
final readonly class Wrk
{
    /** @param array<string, string> $env EVENT_* of wrk/events.lua */
    public function __construct(private string $script = 'get', private array $env = []) {}

    /** @param array<string, string> $env */
    public static function events(array $env): self
    {
        return new self('events', $env);
    }

    /** @param array<string, string> $env */
    public function with(array $env): self
    {
        return new self($this->script, $env + $this->env);
    }

    public function run(string $url, int $connections, float $seconds, int $timeout = 10): WrkResult
    {
        $process = $this->start($url, $connections, $seconds, $timeout);
        $process->wait();

        return WrkResult::fromOutput($process->getOutput().$process->getErrorOutput());
    }

    /** The caller waits for it. */
    public function start(string $url, int $connections, float $seconds, int $timeout = 10): Process
    {
        $wrk = Programs::optional('wrk')
            ?? throw new RuntimeException('wrk is not installed. Run as root on Debian: apt-get install wrk');
        $process = new Process(
            [
                $wrk,
                '-t1',
                "-c{$connections}",
                '-d'.max(1, (int) round($seconds)).'s',
                "--timeout={$timeout}s",
                '-s'.__DIR__."/../wrk/{$this->script}.lua",
                $url,
            ],
            env: $this->env,
            timeout: $seconds + 120,
        );
        $process->start();

        return $process;
    }
}
