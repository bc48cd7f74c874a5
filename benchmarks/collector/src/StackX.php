<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A collector: `headroom collect` with a buffer in a temporary directory.
 */
final class StackX
{
    public readonly string $url;

    public readonly string $admin;

    /** @param array<string, string> $env */
    private function __construct(
        private readonly TemporaryDirectory $directory,
        private readonly array $env,
        private ChildProcess $daemon,
        public readonly string $address,
        string $admin,
    ) {
        $this->url = "http://{$address}";
        $this->admin = "http://{$admin}";
    }

    /**
     * @param array<string, mixed> $bucket configuration of the bucket `events`
     * @param array<string, mixed> $collector configuration except addresses and processes
     * @param array<string, string> $env for handlers
     */
    public static function start(
        int $workers,
        int $flushers = 0,
        array $bucket = [],
        array $collector = [],
        array $env = [],
    ): self {
        $directory = TemporaryDirectory::create('collector', null);
        [
            $listen, $admin,
        ] = array_map(static fn (int $port): string => "127.0.0.1:{$port}", [Ports::free(), Ports::free()]);
        $collector = [
            ...$collector,
            'listen' => $listen,
            'admin' => $admin,
            'workers' => $workers,
            'flushers' => $flushers,
        ];
        self::configure($directory, $bucket, $collector);

        return new self($directory, $env, self::daemon($directory, $env, $listen), $listen, $admin);
    }

    public function pid(): int
    {
        return $this->daemon->pid;
    }

    public function signal(Signal $signal): void
    {
        $this->daemon->signal($signal);
    }

    /** @return string its output */
    public function command(string ...$arguments): string
    {
        $process = new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', ...$arguments],
            $this->directory->path,
            $this->env,
            timeout: 600,
        );
        $process->run();

        return $process->isSuccessful()
            ? $process->getOutput()
            : throw new RuntimeException(
                'headroom '.implode(' ', $arguments)." failed:\n{$process->getOutput()}{$process->getErrorOutput()}",
            );
    }

    /** @return int events that wait in the bucket */
    public function pending(): int
    {
        /** @var array{buckets: list<array<string, mixed>>} $status */
        $status = json_decode($this->command('spool:status', '--json'), true, flags: JSON_THROW_ON_ERROR);

        foreach ($status['buckets'] as $row) {
            if ($row['bucket'] === 'events') {
                return (int) $row['pending'];
            }
        }

        return 0;
    }

    /** @return int events acknowledged since the start, up to a second ago */
    public function accepted(): int
    {
        return preg_match(
            '/^headroom_events_accepted_total (\d+)/m',
            (string) @file_get_contents("{$this->admin}/metrics"),
            $m,
        ) === 1
            ? (int) $m[1]
            : 0;
    }

    /** Waits until no event is pending: a flusher may still be finishing. */
    public function deliverAll(): void
    {
        for ($try = 0; $try < 120; $try++) {
            $this->command('spool:flush', 'events', '--now');

            if ($this->pending() === 0) {
                return;
            }

            usleep(500_000);
        }

        throw new RuntimeException("{$this->pending()} events are not delivered after a minute.");
    }

    /** @return string a new API key */
    public function key(): string
    {
        $made = json_decode(
            $this->command('collect:key', 'create', 'benchmark', '--json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        return is_array($made) && is_string($made['key'] ?? null)
            ? $made['key']
            : throw new RuntimeException('collect:key printed no key.');
    }

    /**
     * @param string $kind worker or flusher
     * @return non-empty-list<int> of the running ones
     */
    public function pids(string $kind): array
    {
        for ($try = 0; $try < 100; $try++) {
            /** @var array{processes?: list<array{name: string, pid: int, state: string}>} $status */
            $status = json_decode((string) @file_get_contents($this->file('spool/collector/status.json')), true) ?? [];
            $pids = array_column(
                array_filter(
                    $status['processes'] ?? [],
                    static fn (array $process): bool => str_starts_with($process['name'], $kind)
                        && $process['state'] === 'works'
                        && (new Proc)->isAlive($process['pid']),
                ),
                'pid',
            );

            if ($pids !== []) {
                return $pids;
            }

            usleep(100_000);
        }

        throw new RuntimeException("The collector has no {$kind}.");
    }

    /** Restarts it after a kill -9 of the supervisor, as systemd would. */
    public function restart(): void
    {
        $this->daemon->stop();
        $this->daemon = self::daemon($this->directory, $this->env, $this->address);
    }

    /** Stops it and leaves its buffer. */
    public function finish(): void
    {
        $this->daemon->stop();
    }

    /** Returns when all processes are new. */
    public function reload(): void
    {
        $this->command('collect:reload');
    }

    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }

    /**
     * @param array<string, mixed> $bucket
     * @param array<string, mixed> $collector
     */
    private static function configure(TemporaryDirectory $directory, array $bucket, array $collector): void
    {
        $config = [
            'spool' => [
                'path' => $directory->file('spool'),
                'buckets' => [
                    'events' => isset($bucket['sink'])
                        ? $bucket
                        : [...$bucket, 'sink' => 'file', 'path' => $directory->file('out.ndjson')],
                ],
            ],
            'collector' => $collector,
        ];
        $directory->write('headroom.php', '<?php return '.var_export($config, true).';');
    }

    /** @param array<string, string> $env */
    private static function daemon(TemporaryDirectory $directory, array $env, string $listen): ChildProcess
    {
        $command = [
            '/bin/sh',
            '-c',
            'cd "$0" && exec "$@"',
            $directory->path,
            Programs::php(),
            dirname(__DIR__, 3).'/bin/headroom',
            'collect',
        ];
        $daemon = ChildProcess::start(new ProcessOptions(
            'headroom collect',
            $command,
            $directory->file('collect.log'),
            $env,
        ));
        $daemon->awaitReady(static fn (): bool => str_contains(
            (string) @file_get_contents(
                "http://{$listen}/readyz",
                context: stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 1]]),
            ),
            'ok',
        ));

        return $daemon;
    }
}
