<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * A sampler in a process of its own, and the CPU seconds that it took.
 */
final class Outside
{
    /** @var array<int, resource> */
    private array $pipes = [];

    /**
     * @param resource $process
     * @param array<int, resource> $pipes
     */
    private function __construct(private readonly mixed $process, array $pipes, private readonly float $before)
    {
        $this->pipes = $pipes;
    }

    public static function reader(int $pid, int $hertz, string $how, int $depth): self
    {
        $sampler = self::start([PHP_BINARY, dirname(__DIR__).'/read.php', (string) $pid, (string) $hertz, $how, (string) $depth]);
        fgets($sampler->pipes[1]);

        return $sampler;
    }

    /** @param list<string> $options */
    public static function phpspy(string $program, int $pid, int $hertz, array $options, string $output): self
    {
        $sampler = self::start([$program, '-c', '-q', '-V', '82', '-H', (string) $hertz, '-o', $output, ...$options, '-p', (string) $pid]);
        usleep(300_000);

        return $sampler;
    }

    /** @return array<string, mixed> what read.php tells, else the CPU seconds alone */
    public function finish(): array
    {
        fclose($this->pipes[0]);
        $pid = proc_get_status($this->process)['pid'];
        $cpu = self::ticks($pid);
        $told = json_decode((string) ($cpu === null ? '' : $this->told()), true);
        proc_close($this->process);

        return is_array($told) ? $told : ['cpu' => ($cpu ?? 0.0) - $this->before];
    }

    /** @param list<string> $command */
    private static function start(array $command): self
    {
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);

        return $process === false ? throw UnableToRead::because("{$command[0]} did not start.") : new self($process, $pipes, 0.0);
    }

    private function told(): string
    {
        if (str_contains((string) @file_get_contents('/proc/'.proc_get_status($this->process)['pid'].'/cmdline'), 'phpspy')) {
            proc_terminate($this->process, SIGINT);
        }

        return (string) stream_get_contents($this->pipes[1]);
    }

    /** CPU seconds of the sampler's own process: /proc counts them in hundredths. */
    private static function ticks(int $pid): ?float
    {
        $fields = explode(' ', (string) preg_replace('/^.*\) /s', '', (string) @file_get_contents("/proc/{$pid}/stat")));

        return isset($fields[12]) ? ((int) $fields[11] + (int) $fields[12]) / 100 : null;
    }
}
