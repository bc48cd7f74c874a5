<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use Symfony\Component\Process\Process;

/**
 * The slow log of PHP-FPM for the known page, with the lowest possible timeout.
 */
final readonly class SlowLog
{
    private const TIMEOUT = 'request_slowlog_timeout = 1';

    public function __construct(private string $directory) {}

    /** @return array<string, mixed> */
    public function run(string $page, int $requests): array
    {
        $pool = Pool::start($this->directory, self::TIMEOUT);

        try {
            $short = $this->traces($pool, $page, 5 * $requests, 1);
            $long = $this->traces($pool, $page, $requests, 20);
        } finally {
            $pool->stop();
        }

        $without = Pool::start($this->directory, self::TIMEOUT, ['setpriv', '--bounding-set=-sys_ptrace']);

        try {
            $denied = $this->traces($without, $page, 1, 8);
        } finally {
            $without->stop();
        }

        $errors = (string) file_get_contents("{$this->directory}/error.log");

        return [
            'timeouts' => array_combine(['1', '0.5', '500ms'], array_map($this->reads(...), ['1', '0.5', '500ms'])),
            'short_requests' => 5 * $requests,
            'short' => $short,
            'long_requests' => $requests,
            'long' => $long,
            'without_ptrace' => $denied,
            'without_ptrace_logged' => preg_match('~failed to \S+ .*~', $errors, $line) === 1 ? $line[0] : null,
        ];
    }

    /** PHP-FPM's reading of a value. */
    private function reads(string $value): string
    {
        $file = "{$this->directory}/timeout.conf";
        $global = "[global]\nerror_log = {$this->directory}/t.log\n";
        $pool = "[www]\nuser = www-data\nlisten = {$this->directory}/t.sock\npm = static\npm.max_children = 1\n";
        $slow = "slowlog = {$this->directory}/s.log\nrequest_slowlog_timeout = {$value}\n";
        file_put_contents($file, $global.$pool.$slow);
        $process = new Process(['php-fpm8.2', '-tt', '-y', $file]);
        $process->run();
        preg_match('~request_slowlog_timeout = (\S+)~', $process->getErrorOutput(), $match);

        return $match[1] ?? '';
    }

    /** @return array{traces: int, tops: array<string, int>} */
    private function traces(Pool $pool, string $page, int $requests, int $times): array
    {
        $log = "{$this->directory}/slow.log";
        file_put_contents($log, '');

        for ($i = 0; $i < $requests; $i++) {
            $pool->page($page, $times);
        }

        usleep(500_000);
        preg_match_all('~^script_filename.*\n\[0x[0-9a-f]+\] (\S+)\(\)~m', (string) file_get_contents($log), $matches);

        return ['traces' => count($matches[1]), 'tops' => array_count_values($matches[1])];
    }
}
