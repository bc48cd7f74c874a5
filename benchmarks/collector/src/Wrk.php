<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Host\Programs;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * wrk as the client: one thread of C, since a client in PHP would be slower than what is measured here.
 */
final readonly class Wrk
{
    /** @param array<string, string> $env EVENT_* of wrk/events.lua */
    public function __construct(private ?string $script = null, private array $env = []) {}

    /** @param array<string, string> $env */
    public static function events(array $env): self
    {
        return new self(__DIR__.'/../wrk/events.lua', $env);
    }

    public function run(string $url, int $connections, float $seconds, int $timeout = 10): WrkResult
    {
        $wrk = Programs::optional('wrk') ?? throw new RuntimeException('wrk is not installed. Run as root on Debian: apt-get install wrk');
        $script = tempnam(sys_get_temp_dir(), 'wrk');
        file_put_contents($script, ($this->script === null ? '' : file_get_contents($this->script)."\n").file_get_contents(__DIR__.'/../wrk/result.lua'));
        $process = new Process([$wrk, '-t1', "-c{$connections}", '-d'.max(1, (int) round($seconds)).'s', "--timeout={$timeout}s", "-s{$script}", $url], env: $this->env, timeout: $seconds + 60);

        try {
            $process->mustRun();
        } finally {
            unlink($script);
        }

        return preg_match('/^RESULT (\{.+\})$/m', $process->getOutput(), $m) === 1
            ? WrkResult::fromJson($m[1])
            : throw new RuntimeException("wrk printed no result:\n{$process->getOutput()}");
    }
}
