<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use Closure;
use Headroom\Host\TemporaryDirectory;
use RuntimeException;

/**
 * A collector of processes of its own, in a directory of its own, on ports that the system chose.
 */
final class Running
{
    /** @var resource */
    private $process;

    public readonly int $pid;

    public readonly string $directory;

    /**
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $spool
     * @param array<string, string> $env
     * @param list<string> $before what goes before the interpreter on the command line
     * @param array<int, mixed> $descriptors
     */
    private function __construct(private readonly TemporaryDirectory $home, array $collector, array $spool, array $env, array $before, array $descriptors)
    {
        $this->directory = $directory = $home->path;
        self::configure($directory, $collector, $spool);
        $pipes = [];
        $process = proc_open(
            [...$before, PHP_BINARY, self::program(), 'collect'],
            $descriptors + [0 => ['file', '/dev/null', 'r'], 1 => ['file', "{$directory}/log", 'a'], 2 => ['file', "{$directory}/log", 'a']],
            $pipes,
            $directory,
            [...getenv(), 'PWD' => $directory, ...$env],
        );
        $this->process = $process === false ? throw new RuntimeException('The collector could not be started.') : $process;
        $this->pid = proc_get_status($process)['pid'];
    }

    /**
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $spool
     * @param array<string, string> $env
     * @param list<string> $before
     * @param array<int, mixed> $descriptors
     */
    public static function start(array $collector = [], array $spool = [], array $env = [], ?TemporaryDirectory $home = null, array $before = [], array $descriptors = [], bool $isReady = true): self
    {
        $running = new self($home ?? TemporaryDirectory::create('collector'), $collector, $spool, $env, $before, $descriptors);

        if ($isReady) {
            $running->waitFor(static fn (self $it): bool => ($it->status()['state'] ?? null) === 'running' && ($it->status()['pid'] ?? null) === $it->supervisor());
        }

        return $running;
    }

    /**
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $spool
     */
    public static function configure(string $directory, array $collector = [], array $spool = []): void
    {
        $config = [
            'spool' => $spool + ['path' => "{$directory}/spool", 'reserve' => 0, 'buckets' => ['events' => ['sink' => 'file', 'path' => "{$directory}/out.ndjson"]]],
            'collector' => $collector + ['listen' => '127.0.0.1:0', 'admin' => '127.0.0.1:0', 'workers' => 2, 'flushers' => 0, 'intake' => ['auth' => false]],
        ];
        file_put_contents("{$directory}/headroom.php.new", '<?php return '.var_export($config, true).';');
        rename("{$directory}/headroom.php.new", "{$directory}/headroom.php");
    }

    public function __destruct()
    {
        $this->end();
        $this->home->remove();
    }

    /** The process that has the lock; where something stands before it on the command line it is that one's child. */
    public function supervisor(): int
    {
        $text = @file_get_contents("{$this->directory}/spool/collector/pid.json");
        $pid = json_decode($text === false ? '' : $text, true)['pid'] ?? null;

        return is_int($pid) ? $pid : $this->pid;
    }

    /** @return array<string, mixed> */
    public function status(): array
    {
        $text = @file_get_contents("{$this->directory}/spool/collector/status.json");
        $status = json_decode($text === false ? '' : $text, true);

        return is_array($status) ? $status : [];
    }

    public function address(int $number = 0): string
    {
        $listen = $this->status()['listen'] ?? null;
        $address = is_array($listen) ? $listen[$number] ?? null : null;

        return is_string($address) ? $address : throw new RuntimeException("It listens nowhere:\n{$this->log()}");
    }

    public function admin(): string
    {
        return $this->address(1);
    }

    /** @return array<string, int> pids by name, of those that work */
    public function pids(string $kind = 'worker', string $state = 'works'): array
    {
        $processes = $this->status()['processes'] ?? null;
        $pids = [];

        foreach (is_array($processes) ? $processes : [] as $process) {
            if (is_array($process) && is_string($process['name'] ?? null) && is_int($process['pid'] ?? null) && str_starts_with($process['name'], $kind) && ($process['state'] ?? null) === $state) {
                $pids[$process['name']] = $process['pid'];
            }
        }

        return $pids;
    }

    public function log(): string
    {
        return (string) file_get_contents("{$this->directory}/log");
    }

    /** @param Closure(self): bool $what */
    public function waitFor(Closure $what, int $seconds = 30): void
    {
        for ($left = $seconds * 50; ! $what($this); $left--) {
            if ($left <= 0) {
                throw new RuntimeException("It did not come to that within {$seconds} s. The collector's log:\n{$this->log()}");
            }

            usleep(20_000);
        }
    }

    public function waitForLog(string $words): void
    {
        $this->waitFor(static fn (self $it): bool => str_contains($it->log(), $words));
    }

    public function isRunning(): bool
    {
        return is_resource($this->process) && proc_get_status($this->process)['running'];
    }

    /** @return int exit code, once it has ended */
    public function exitCode(int $seconds = 40): int
    {
        for ($left = $seconds * 50; $left > 0; $left--) {
            $status = proc_get_status($this->process);

            if (! $status['running']) {
                return $status['exitcode'];
            }

            usleep(20_000);
        }

        throw new RuntimeException("It did not end:\n{$this->log()}");
    }

    /** @return array{int, string} exit code and output */
    public function command(string ...$words): array
    {
        return self::run($this->directory, ...$words);
    }

    /** @return array{int, string} */
    public static function run(string $directory, string ...$words): array
    {
        $process = proc_open([PHP_BINARY, self::program(), ...$words], [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, $directory, [...getenv(), 'PWD' => $directory]);
        $output = $process === false || ! isset($pipes[1]) || ! is_resource($pipes[1]) ? throw new RuntimeException('It could not be started.') : (string) stream_get_contents($pipes[1]);

        return [proc_close($process), $output];
    }

    /** @return list<string> ids of all events that are in the buffer or were delivered, as often as they are there */
    public function collected(): array
    {
        [$exit, $output] = $this->command('spool:flush', 'events');

        if ($exit !== 0) {
            throw new RuntimeException($output);
        }

        $ids = [];

        foreach (is_file("{$this->directory}/out.ndjson") ? file("{$this->directory}/out.ndjson", FILE_IGNORE_NEW_LINES) ?: [] : [] as $line) {
            $event = json_decode($line, true);
            $ids[] = is_array($event) && is_string($event['id'] ?? null) ? $event['id'] : "? {$line}";
        }

        return $ids;
    }

    /** Whoever is left of it: by pids that it started, never by a name. */
    public function end(): void
    {
        if (! is_resource($this->process)) {
            return;
        }

        $pids = [...$this->pids(), ...$this->pids('flusher'), ...$this->pids('worker', 'starts'), ...$this->pids('worker', 'finishes')];

        if ($this->isRunning()) {
            posix_kill($this->supervisor(), SIGINT);

            for ($left = 250; $left > 0 && $this->isRunning(); $left--) {
                usleep(20_000);
            }
        }

        foreach ([$this->supervisor(), ...array_values($pids)] as $pid) {
            if (str_contains((string) @file_get_contents("/proc/{$pid}/cmdline"), self::program())) {
                posix_kill($pid, SIGKILL);
            }
        }

        proc_close($this->process);
    }

    public static function program(): string
    {
        return dirname(__DIR__, 4).'/bin/headroom';
    }
}
