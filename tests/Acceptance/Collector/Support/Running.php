<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use Closure;
use Headroom\Process\TemporaryDirectory;
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
     * @param array<int, resource> $descriptors
     */
    private function __construct(
        private readonly TemporaryDirectory $home,
        array $collector,
        array $spool,
        array $env,
        array $before,
        array $descriptors,
    ) {
        $this->directory = $directory = $home->path;
        self::configure($directory, $collector, $spool);
        $pipes = [];
        $process = proc_open(
            [...$before, PHP_BINARY, self::program(), 'collect'],
            $descriptors
                + [
                    0 => ['file', '/dev/null', 'r'],
                    1 => ['file', "{$directory}/log", 'a'],
                    2 => ['file', "{$directory}/log", 'a'],
                ],
            $pipes,
            $directory,
            [...getenv(), 'PWD' => $directory, ...$env],
        );
        $this->process = $process === false
            ? throw new RuntimeException('The collector could not be started.')
            : $process;
        $this->pid = proc_get_status($process)['pid'];
    }

    /**
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $spool
     * @param array<string, string> $env
     * @param list<string> $before
     * @param array<int, resource> $descriptors
     */
    public static function start(
        array $collector = [],
        array $spool = [],
        array $env = [],
        ?TemporaryDirectory $home = null,
        array $before = [],
        array $descriptors = [],
        bool $isReady = true,
    ): self {
        $running = new self(
            $home ?? TemporaryDirectory::create('collector'),
            $collector,
            $spool,
            $env,
            $before,
            $descriptors,
        );

        if ($isReady) {
            $running->waitFor(static fn (
                self $it,
            ): bool => ($it->status()['state'] ?? null) === 'running' && ($it->status()['pid'] ?? null) === $it->pid);
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
            'spool' => $spool
                + [
                    'path' => "{$directory}/spool",
                    'min_free_bytes' => 0,
                    'buckets' => ['events' => ['sink' => 'file', 'path' => "{$directory}/out.ndjson"]],
                ],
            'collector' => $collector
                + [
                    'listen' => '127.0.0.1:0',
                    'admin' => '127.0.0.1:0',
                    'workers' => 2,
                    'flushers' => 0,
                    'intake' => ['auth' => false],
                ],
        ];
        file_put_contents("{$directory}/headroom.php.new", '<?php return '.var_export($config, true).';');
        rename("{$directory}/headroom.php.new", "{$directory}/headroom.php");
    }

    public function __destruct()
    {
        $this->end();
        $this->home->remove();
    }

    /** @return array<string, mixed> */
    public function status(): array
    {
        $text = @file_get_contents("{$this->directory}/spool/collector/status.json");
        $status = json_decode($text === false ? '' : $text, true);

        return is_array($status) ? array_combine(array_map(strval(...), array_keys($status)), $status) : [];
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
            if (
                is_array($process)
                && is_string($process['name'] ?? null)
                && is_int($process['pid'] ?? null)
                && str_starts_with($process['name'], $kind)
                && ($process['state'] ?? null) === $state
            ) {
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
        for ($deadline = hrtime(true) + $seconds * 1_000_000_000; ! $what($this);) {
            if (hrtime(true) > $deadline) {
                throw new RuntimeException(
                    "It did not come to that within {$seconds} s. The collector's log:\n{$this->log()}",
                );
            }

            usleep(20_000);
        }
    }

    public function waitForLog(string $words): void
    {
        $this->waitFor(static fn (self $it): bool => str_contains($it->log(), $words));
    }

    /** @return string what matches in its log, once it is there */
    public function logged(string $pattern): string
    {
        $this->waitFor(static fn (self $it): bool => preg_match($pattern, $it->log()) === 1);
        preg_match($pattern, $this->log(), $match);

        return $match[0] ?? '';
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
        $file = "{$directory}/command-".bin2hex(random_bytes(4));
        $process = proc_open(
            [PHP_BINARY, self::program(), ...array_values($words)],
            [0 => ['file', '/dev/null', 'r'], 1 => ['file', $file, 'a'], 2 => ['file', $file, 'a']],
            $pipes,
            $directory,
            [...getenv(), 'PWD' => $directory],
        );
        $exit = $process === false ? throw new RuntimeException('It could not be started.') : proc_close($process);
        $output = (string) file_get_contents($file);
        unlink($file);

        return [$exit, $output];
    }

    /** @return list<string> ids of all events that are in the buffer or were delivered, as often as they are there */
    public function collected(): array
    {
        // A worker keeps its file for a moment after the last event.
        $this->waitFor(function (): bool {
            if ($this->isKept()) {
                return false;
            }

            [$exit, $output] = $this->command('spool:flush', 'events');

            if ($exit !== 0) {
                throw new RuntimeException($output);
            }

            [, $status] = $this->command('spool:status', '--json');

            return preg_match('/"pending": 0,/', $status) === 1 && preg_match('/"pending": [1-9]/', $status) !== 1;
        });

        $ids = [];

        foreach (is_file("{$this->directory}/out.ndjson") ? explode(
            "\n",
            trim((string) file_get_contents("{$this->directory}/out.ndjson")),
        ) : [] as $line) {
            $event = json_decode($line, true);
            $ids[] = is_array($event) && is_string($event['id'] ?? null) ? $event['id'] : "? {$line}";
        }

        return $ids;
    }

    /**
     * Whether a process has locked a file of the bucket, so that a flush would have to pass over it;
     * asking that is cheaper than flushing.
     */
    private function isKept(): bool
    {
        foreach ((array) glob("{$this->directory}/spool/buckets/events/active/*.log") as $path) {
            $file = @fopen((string) $path, 're');

            if ($file !== false && ! flock($file, LOCK_EX | LOCK_NB)) {
                return true;
            }
        }

        return false;
    }

    /** Ends its remaining processes by the pids that it started, never by a name. */
    public function end(): void
    {
        if (! is_resource($this->process)) {
            return;
        }

        $pids = [
            ...$this->pids(),
            ...$this->pids('flusher'),
            ...$this->pids('worker', 'starts'),
            ...$this->pids('worker', 'finishes'),
        ];

        if ($this->isRunning()) {
            // After the third signal the collector waits for no client any more: a test that still has a connection
            // would pay a second for it.
            for ($left = 250; $left > 0 && proc_get_status($this->process)['running']; $left--) {
                posix_kill($this->pid, SIGINT);
                usleep(20_000);
            }
        }

        foreach ([$this->pid, ...array_values($pids)] as $pid) {
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
