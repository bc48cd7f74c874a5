<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Process\Programs;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * The load generators with their usual options, the same number of connections and the same time. Each reports its
 * own rate.
 */
final readonly class Clients
{
    public function __construct(private string $url, private int $connections, private int $seconds) {}

    /**
     * @return array<string, callable(): float> requests per second, by name; programs that are not installed are left
     *     out
     */
    public function all(): array
    {
        $clients = [
            'load_1' => fn (): float => $this->load(1),
            'load_2' => fn (): float => $this->load(2),
        ];
        $wrk = Programs::optional('wrk');
        $hey = Programs::optional('hey');

        if ($wrk !== null) {
            foreach ([1, 2] as $threads) {
                $clients["wrk_{$threads}"] = fn (): float => $this->read(
                    [$wrk, "-t{$threads}", "-c{$this->connections}", "-d{$this->seconds}s", $this->url],
                    '~^Requests/sec:\s+([\d.]+)~m',
                );
            }
        }

        if ($hey !== null) {
            $clients['hey'] = fn (): float => $this->read(
                [$hey, '-c', (string) $this->connections, '-z', "{$this->seconds}s", $this->url],
                '~^\s*Requests/sec:\s+([\d.]+)~m',
            );
        }

        return $clients;
    }

    private function load(int $processes): float
    {
        return $this->read(
            [
                PHP_BINARY,
                dirname(__DIR__, 3).'/bin/headroom',
                'load',
                $this->url,
                "--concurrency={$this->connections}",
                "--duration={$this->seconds}",
                "--processes={$processes}",
                '--json',
            ],
            '~"succeeded_per_second": ([\d.]+)~',
        );
    }

    /** @param list<string> $command */
    private function read(array $command, string $pattern): float
    {
        $process = new Process($command, timeout: 120);
        $process->mustRun();

        return preg_match($pattern, $process->getOutput(), $m) === 1
            ? (float) $m[1]
            : throw new RuntimeException("{$command[0]} printed no rate:\n{$process->getOutput()}");
    }
}
