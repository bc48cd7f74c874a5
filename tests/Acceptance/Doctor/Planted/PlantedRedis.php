<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Redis\RedisServer;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A real Redis that nothing is wrong with, but for what is planted in it.
 */
final class PlantedRedis
{
    /** @var list<resource> connections of others */
    private array $held = [];

    private function __construct(public readonly RedisServer $server, private readonly TemporaryDirectory $directory) {}

    public function __destruct()
    {
        $this->directory->remove();
    }

    /**
     * @param array<string, string|int> $options
     * @param list<list<string|int>> $commands and ['hold', how many] and ['let go'] of connections
     * @param bool $keepsSlow whether slow commands are written down
     */
    public static function with(array $options, array $commands, bool $keepsSlow): self
    {
        $directory = TemporaryDirectory::create('socket');
        chmod($directory->path, 0o755);
        $redis = new self(
            RedisServer::start(
                $options
                    + [
                        'unixsocket' => $directory->file('redis.sock'),
                        'unixsocketperm' => 777,
                        'latency-monitor-threshold' => 100,
                        'slowlog-log-slower-than' => $keepsSlow ? 10_000 : -1,
                    ],
            ),
            $directory,
        );

        foreach ($commands as $command) {
            match ($command[0]) {
                'hold' => $redis->hold((int) $command[1]),
                'let go' => $redis->letGo(),
                default => $redis->server->ask(...$command),
            };
        }

        return $redis;
    }

    /** Where who is on this machine reaches it. */
    public function socket(): string
    {
        return $this->directory->file('redis.sock');
    }

    /** @return list<resource> connections, that with its files are such a share of what it may have */
    public function filled(float $share): array
    {
        $held = [];

        for ($i = 0; $i < 20; $i++) {
            $stream = stream_socket_client("tcp://127.0.0.1:{$this->server->port}", timeout: 2.0);
            $stream !== false || throw new RuntimeException('Redis takes no connection.');
            $held[] = $stream;
        }

        $this->server->ask('PING');
        $pid = $this->pid();
        $files = (int) floor((count((array) scandir("/proc/{$pid}/fd")) - 2) / $share);
        (new Process(['prlimit', '--pid', (string) $pid, "--nofile={$files}:"]))->mustRun();

        return $held;
    }

    public function pid(): int
    {
        preg_match('/process_id:(\d+)/', $this->server->info('server'), $m) === 1
            || throw new RuntimeException('Redis does not tell its process.');

        return (int) $m[1];
    }

    private function letGo(): void
    {
        array_map(fclose(...), $this->held);
        $this->held = [];
    }

    private function hold(int $connections): void
    {
        for ($i = 0; $i < $connections; $i++) {
            $stream = stream_socket_client("tcp://127.0.0.1:{$this->server->port}", timeout: 2.0);
            $stream !== false || throw new RuntimeException('Redis takes no connection.');
            fwrite($stream, "PING\r\n");
            fgets($stream);
            $this->held[] = $stream;
        }
    }
}
