<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use RuntimeException;

/**
 * A Redis Cluster of a test's own: three masters with a replica each, ready in about two seconds. It ends with the test
 * at the latest.
 */
final class RedisClusterServers
{
    private const BUS = 10_000;

    /** @var array<int, int> pids, by port */
    private array $pids = [];

    /** @var list<ChildProcess> */
    private array $revived = [];

    /** @param non-empty-list<int> $ports the masters first, as it was started */
    private function __construct(
        private readonly TemporaryDirectory $directory,
        private readonly ChildProcess $daemon,
        public readonly array $ports,
    ) {}

    public function __destruct()
    {
        $this->stop();
    }

    /** @param int $nodeTimeoutMillis a replica takes over about twice as long after its master died */
    public static function start(int $nodeTimeoutMillis = 1500): self
    {
        $server = Installed::server();

        for ($try = 1; ; $try++) {
            $directory = TemporaryDirectory::create('redis-cluster');
            $ports = self::freePorts();
            $program = dirname(__DIR__, 3).'/dev/services/redis-cluster.bash';
            $daemon = ChildProcess::start(new ProcessOptions(
                'redis-cluster',
                [$program, $directory->path, (string) $nodeTimeoutMillis, ...array_map(strval(...), $ports)],
                $directory->file('log'),
                ['HEADROOM_REDIS_SERVER' => $server],
            ));
            $cluster = new self($directory, $daemon, $ports);

            try {
                $daemon->awaitReady($cluster->isWhole(...), 120_000);

                foreach ($ports as $port) {
                    $cluster->pids[$port] = (int) file_get_contents($directory->file("{$port}/pid"));
                }

                return $cluster;
            } catch (UnableToStart $e) {
                if ($try === 3 || ! str_contains($e->getMessage(), 'already in use')) {
                    throw $e;
                }
            }
        }
    }

    /** @return non-empty-list<string> */
    public function seeds(): array
    {
        return array_map(static fn (int $port): string => "127.0.0.1:{$port}", $this->ports);
    }

    /** The port of the master that has a key, as a living node of the cluster sees it. */
    public function masterOf(string $key): int
    {
        return $this->masterAsSeenBy($this->living()[0], $key) ?? throw new RuntimeException("Nobody has {$key}.");
    }

    /** @return list<int> ports of the replicas that are connected to the master of a key */
    public function replicasOf(string $key): array
    {
        preg_match_all(
            '/^slave\d+:ip=[^,]+,port=(\d+),state=online/m',
            $this->info($this->masterOf($key), 'replication'),
            $found,
        );

        return array_map(intval(...), $found[1]);
    }

    /** kill -9 */
    public function kill(int $port): void
    {
        $this->signal($port, SIGKILL);
        unset($this->pids[$port]);
        Patience::until(static fn (): bool => ! Ports::accepts($port), "{$port} is gone");
    }

    public function freeze(int $port): void
    {
        $this->signal($port, SIGSTOP);
    }

    public function thaw(int $port): void
    {
        $this->signal($port, SIGCONT);
    }

    /** A node that was killed, without its data; where its replica has taken over it follows that one. */
    public function restart(int $port): void
    {
        $daemon = ChildProcess::start(new ProcessOptions(
            'redis-server',
            [Installed::server(), $this->directory->file("{$port}/redis.conf")],
            $this->directory->file('log'),
        ));
        $this->revived[] = $daemon;
        $this->pids[$port] = $daemon->pid;
        $daemon->awaitReady(static fn (): bool => Resp::answers($port));
    }

    /**
     * Kills the master of a key, and returns the port of the replica when all that live know that it has taken over.
     */
    public function failOver(string $key): int
    {
        $old = $this->masterOf($key);
        $this->kill($old);

        return $this->awaitTakenOver($key, $old);
    }

    /** For a master that was killed or stopped. */
    public function awaitTakenOver(string $key, int $from): int
    {
        $others = array_values(array_diff($this->living(), [$from]));
        Patience::until(function () use ($others, $key, $from): bool {
            foreach ($others as $port) {
                $master = $this->masterAsSeenBy($port, $key);

                if (
                    $master === null
                    || $master === $from
                    || ! str_contains($this->clusterInfo($port), 'cluster_state:ok')
                ) {
                    return false;
                }
            }

            return true;
        }, "another process took over {$key} from {$from}");

        return $this->masterAsSeenBy($others[0], $key) ?? $from;
    }

    public function stop(): void
    {
        foreach (array_keys($this->pids) as $port) {
            $this->signal($port, SIGKILL);
        }

        $this->pids = [];
        array_map(static fn (ChildProcess $daemon) => $daemon->stop(), $this->revived);
        $this->daemon->stop();
        $this->directory->remove();
    }

    /** @return non-empty-list<int> */
    private function living(): array
    {
        $ports = array_keys($this->pids);

        return $ports === [] ? throw new RuntimeException('No node is left.') : $ports;
    }

    private function masterAsSeenBy(int $port, string $key): ?int
    {
        $slot = Resp::ask($port, 'CLUSTER', 'KEYSLOT', $key);
        /** @var list<array{int, int, array{string, int}}> $ranges */
        $ranges = Resp::ask($port, 'CLUSTER', 'SLOTS');

        foreach ($ranges as [$first, $last, $master]) {
            if ($first <= $slot && $slot <= $last) {
                return $master[1];
            }
        }

        return null;
    }

    private function isWhole(): bool
    {
        foreach ($this->ports as $i => $port) {
            if (! Resp::answers($port) || ! str_contains($this->clusterInfo($port), 'cluster_state:ok')) {
                return false;
            }

            if ($i < 3 && preg_match('/^slave0:.*state=online/m', $this->info($port, 'replication')) !== 1) {
                return false;
            }
        }

        return true;
    }

    private function clusterInfo(int $port): string
    {
        $info = Resp::ask($port, 'CLUSTER', 'INFO');

        return is_string($info) ? $info : '';
    }

    private function info(int $port, string $section): string
    {
        $info = Resp::ask($port, 'INFO', $section);

        return is_string($info) ? $info : '';
    }

    private function signal(int $port, int $signal): void
    {
        posix_kill($this->pids[$port] ?? throw new RuntimeException("{$port} is not running."), $signal);
    }

    /** @return non-empty-list<int> */
    private static function freePorts(): array
    {
        $ports = [];

        while (count($ports) < 6) {
            $port = Ports::free();

            // The bus must lie below the range of outgoing ports as well.
            if ($port < 22_700 && ! in_array($port, $ports, true) && ! Ports::accepts($port + self::BUS)) {
                $ports[] = $port;
            }
        }

        return $ports;
    }
}
