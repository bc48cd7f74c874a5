<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\UnderLoad\Waits\Sockets\Listeners;
use Headroom\Doctor\UnderLoad\Waits\Sockets\NetworkNamespace;
use Headroom\Doctor\UnderLoad\Waits\Sockets\SocketStatistics;
use Headroom\Doctor\UnderLoad\Waits\Sockets\UnixPeers;

/**
 * The waits of processes at this moment, from the kernel. Keep one object for many samples, because it caches the
 * listening programs.
 *
 * @internal
 */
final readonly class ProcessWaits
{
    private ProcessInspector $look;

    private WaitClassifier $reasons;

    private SocketStatistics $statistics;

    private UnixPeers $peers;

    /**
     * @param array<string, string> $known the service by address, such as "10.0.0.5:6379" or "unix:/run/redis.sock"
     */
    public function __construct(array $known = [], private KernelFiles $files = new KernelFiles)
    {
        $this->look = new ProcessInspector($files);
        $this->reasons = new WaitClassifier($known, new Listeners($files));
        $this->statistics = new SocketStatistics;
        $this->peers = new UnixPeers($this->statistics);
    }

    /**
     * Processes that have ended are left out.
     *
     * @param list<int> $pids
     * @return list<Wait>
     */
    public function of(array $pids): array
    {
        return array_map($this->withThreads(...), $this->inspected($pids));
    }

    /** A process that waits for its own thread waits for what the thread waits for: curl looks up addresses in one. */
    private function withThreads(Wait $wait): Wait
    {
        if ($wait->peer !== null || ! in_array($wait->kind, [WaitKind::Reply, WaitKind::Other], true)) {
            return $wait;
        }

        foreach ($this->inspected(array_values(array_diff(
            $this->files->numbers("/proc/{$wait->pid}/task"),
            [$wait->pid],
        ))) as $thread) {
            if ($thread->peer !== null) {
                return new Wait($thread->kind, $thread->peer, $thread->why, $wait->pid);
            }
        }

        return $wait;
    }

    /**
     * @param list<int> $pids or thread ids, which the kernel accepts too
     * @return list<Wait>
     */
    private function inspected(array $pids): array
    {
        // Reads all calls first, then the socket tables once: a connection that a process waits for is in them.
        $found = array_values(array_filter(array_map($this->look->at(...), $pids)));
        $blockedCalls = [];

        foreach ($found as $one) {
            if ($one instanceof BlockedSyscall) {
                $blockedCalls[$this->network($one->pid)][] = $one;
            }
        }

        $waits = [];

        foreach ($blockedCalls as $name => $ofOne) {
            $network = $this->read($ofOne, $name === $this->files->target('/proc/self/ns/net'));

            foreach ($ofOne as $blocked) {
                $waits[$blocked->pid] = $this->reasons->of($blocked, $network);
            }
        }

        return array_map(
            static fn (BlockedSyscall|Wait $one): Wait => $one instanceof Wait ? $one : $waits[$one->pid],
            $found,
        );
    }

    /** @param non-empty-list<BlockedSyscall> $blockedCalls */
    private function read(array $blockedCalls, bool $isOurs): NetworkNamespace
    {
        $inodes = array_values(array_unique(array_merge(...array_map(
            static fn (BlockedSyscall $blocked): array => $blocked->sockets(),
            $blockedCalls,
        ))));
        $withPaths = array_filter($blockedCalls, static fn (BlockedSyscall $blocked): bool => $blocked->path !== null)
            !== [];

        return NetworkNamespace::read(
            $blockedCalls[0]->pid,
            $inodes,
            $isOurs,
            $withPaths,
            $this->files,
            $this->statistics,
            $this->peers,
        );
    }

    /** The network namespace of a process. */
    private function network(int $pid): string
    {
        return $this->files->target("/proc/{$pid}/ns/net") ?? "of {$pid}";
    }
}
