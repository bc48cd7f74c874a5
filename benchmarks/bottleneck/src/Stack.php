<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Dev\DelayProxy;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Redis;
use RuntimeException;
use Throwable;

/**
 * A stage: Redis, the proxy in front of it, the application, nginx and PHP-FPM. Redis and the proxy are outside of
 * the quota, as on a machine of their own.
 */
final readonly class Stack implements Stoppable
{
    private TemporaryDirectory $directory;

    private ChildProcess $redis;

    private DelayProxy $line;

    private int $redisPort;

    public Application $application;

    public Servers $servers;

    public CpuQuota $quota;

    public function __construct(public Stage $stage, RedisDelay $line)
    {
        $this->directory = TemporaryDirectory::create('bottleneck-redis');
        $this->redisPort = Ports::free();
        $this->redis = ChildProcess::start(new ProcessOptions(
            'redis-server',
            [
                'redis-server',
                '--port',
                (string) $this->redisPort,
                '--bind',
                '127.0.0.1',
                '--save',
                '',
                '--appendonly',
                'no',
                '--maxmemory',
                '256mb',
                '--latency-monitor-threshold',
                '100',
                '--dir',
                $this->directory->path,
            ],
            $this->directory->file('redis.log'),
        ));
        $this->redis->awaitReady(fn (): bool => Ports::accepts($this->redisPort));
        $this->line = DelayProxy::start(
            '127.0.0.1',
            $this->redisPort,
            $line->roundTripMillis,
            connectionMillis: $line->connectionMillis,
        );
        $this->application = new Application($this->env());
        $this->quota = CpuQuota::of($stage->cpus());

        try {
            $this->servers = new Servers($stage, $this->application->path(), $this->quota);
        } catch (Throwable $e) {
            $this->quota->remove();

            throw $e;
        }

        ShutdownHandler::stop($this);
    }

    /** A direct connection to Redis, not through the application's proxy. */
    public function redis(): Redis
    {
        $redis = new Redis;

        return $redis->connect('127.0.0.1', $this->redisPort, 2.0)
            ? $redis
            : throw new RuntimeException('The Redis of the benchmark does not answer.');
    }

    public function stop(): void
    {
        $this->servers->stop();
        $this->quota->remove();
        $this->application->remove();
        $this->line->stop();
        $this->redis->stop();
        $this->directory->remove();
    }

    /** @return array<string, string> */
    private function env(): array
    {
        return [
            'APP_ENV' => 'production',
            'APP_DEBUG' => 'false',
            'LOG_LEVEL' => 'warning',
            'DB_CONNECTION' => 'sqlite',
            'SESSION_DRIVER' => $this->stage->driver(),
            'CACHE_STORE' => $this->stage->driver(),
            'QUEUE_CONNECTION' => $this->stage === Stage::Files ? 'sync' : 'redis',
            'REDIS_HOST' => '127.0.0.1',
            'REDIS_PORT' => (string) $this->line->port,
            'REDIS_DB' => '0',
            'REDIS_CACHE_DB' => '1',
            ...($this->stage->isPersistent() ? ['REDIS_PERSISTENT' => 'true'] : []),
        ];
    }
}
