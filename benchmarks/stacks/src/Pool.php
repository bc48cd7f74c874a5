<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use RuntimeException;

/**
 * PHP-FPM with one worker process that runs as www-data below a master that runs as root, as packages install it.
 */
final readonly class Pool
{
    private const CONFIGURATION = <<<'INI'
        [global]
        error_log = %DIR%/error.log
        daemonize = no
        [www]
        user = www-data
        group = www-data
        listen = %DIR%/fpm.sock
        listen.mode = 0666
        pm = static
        pm.max_children = 1
        slowlog = %DIR%/slow.log
        %MORE%
        INI;

    /** @param resource $process */
    private function __construct(private mixed $process, private string $directory) {}

    /** @param list<string> $before a command that php-fpm is an argument of */
    public static function start(string $directory, string $more = '', array $before = []): self
    {
        $configuration = strtr(self::CONFIGURATION, ['%DIR%' => $directory, '%MORE%' => $more]);
        file_put_contents("{$directory}/fpm.conf", $configuration);
        @unlink("{$directory}/fpm.sock");
        $command = [...$before, 'php-fpm8.2', '-F', '-y', "{$directory}/fpm.conf"];
        $output = ['file', "{$directory}/out", 'a'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $output, $output], $pipes);

        if ($process === false) {
            throw new RuntimeException('php-fpm8.2 did not start.');
        }

        $pool = new self($process, $directory);

        for ($until = hrtime(true) + 10_000_000_000; ! file_exists("{$directory}/fpm.sock") || $pool->worker() === 0;) {
            hrtime(true) < $until || throw new RuntimeException((string) file_get_contents("{$directory}/error.log"));
            usleep(10_000);
        }

        return $pool;
    }

    /** @return list<float> CPU seconds of the page's parts */
    public function page(string $script, int $times = 1): array
    {
        $client = new FastCgiClient(answerMillis: 120_000);

        $answer = $client->get(Address::parse("{$this->directory}/fpm.sock"), $script, "times={$times}");

        return array_values((array) json_decode($answer->body, true, flags: JSON_THROW_ON_ERROR));
    }

    public function worker(): int
    {
        $master = proc_get_status($this->process)['pid'];

        return (int) @file_get_contents("/proc/{$master}/task/{$master}/children");
    }

    /** A sampler that stops the process for each sample and ends in between leaves it stopped. This continues it. */
    public function wasLeftStopped(): bool
    {
        usleep(200_000);
        $worker = $this->worker();
        $isStopped = preg_match('~^State:\s+[Tt]~m', (string) @file_get_contents("/proc/{$worker}/status")) === 1;

        if ($isStopped) {
            posix_kill($worker, SIGCONT);
        }

        return $isStopped;
    }

    public function stop(): void
    {
        proc_terminate($this->process, SIGTERM);
        proc_close($this->process);
    }
}
