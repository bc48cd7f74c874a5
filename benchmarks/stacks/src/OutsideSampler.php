<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * A sampler in a process of its own, and its CPU seconds.
 */
final readonly class OutsideSampler
{
    /** @param resource $process */
    private function __construct(
        private mixed $process,
        private int $pid,
        private string $output,
        private float $before,
    ) {}

    public static function reader(int $pid, int $hertz, string $how): self
    {
        return self::start([PHP_BINARY, dirname(__DIR__).'/read.php', (string) $pid, (string) $hertz, $how]);
    }

    /** @param list<string> $options */
    public static function phpspy(string $program, int $pid, int $hertz, array $options): self
    {
        return self::start([$program, '-c', '-q', '-V', '82', '-H', (string) $hertz, ...$options, '-p', (string) $pid]);
    }

    /** @return array{cpu: float, output: string} */
    public function finish(): array
    {
        $cpu = CpuClock::seconds($this->pid) - $this->before;
        posix_kill($this->pid, SIGINT);
        proc_close($this->process);
        $output = (string) file_get_contents($this->output);
        unlink($this->output);

        return ['cpu' => $cpu, 'output' => $output];
    }

    /** @param list<string> $command */
    private static function start(array $command): self
    {
        $output = (string) tempnam(sys_get_temp_dir(), 'stacks');
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', $output, 'w'], STDERR], $pipes);

        if ($process === false) {
            throw UnableToRead::because("{$command[0]} did not start.");
        }

        // It first finds the symbols, once.
        usleep(400_000);
        $pid = proc_get_status($process)['pid'];

        return new self($process, $pid, $output, CpuClock::seconds($pid));
    }
}
