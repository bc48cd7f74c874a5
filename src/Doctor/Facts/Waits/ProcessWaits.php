<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Doctor\Facts\Kernel\KernelFiles;

use function array_filter;
use function array_map;
use function array_merge;
use function array_unique;
use function array_values;

/**
 * What processes wait for at this moment, by the kernel. Keep one for many looks: who listens where is found out once.
 *
 * @internal
 */
final readonly class ProcessWaits
{
    private Look $look;

    private Reasons $reasons;

    private SocketStatistics $statistics;

    private UnixPeers $peers;

    /** @param array<string, string> $known what listens at an address, such as "10.0.0.5:6379" or "unix:/run/redis.sock" */
    public function __construct(array $known = [], private KernelFiles $files = new KernelFiles)
    {
        $this->look = new Look($files);
        $this->reasons = new Reasons($known, new Listeners($files));
        $this->statistics = new SocketStatistics;
        $this->peers = new UnixPeers($this->statistics);
    }

    /**
     * Who has ended is left out.
     *
     * @param list<int> $pids
     * @return list<Wait>
     */
    public function of(array $pids): array
    {
        // First where all of them stand, then the tables of sockets, once: a connection that is waited for is in them.
        $found = array_values(array_filter(array_map($this->look->at(...), $pids)));
        $halts = [];

        foreach ($found as $one) {
            if ($one instanceof Halt) {
                $halts[$this->network($one->pid)][] = $one;
            }
        }

        $waits = [];

        foreach ($halts as $name => $ofOne) {
            $network = $this->read($ofOne, $name === $this->files->target('/proc/self/ns/net'));

            foreach ($ofOne as $halt) {
                $waits[$halt->pid] = $this->reasons->of($halt, $network);
            }
        }

        return array_map(static fn (Halt|Wait $one): Wait => $one instanceof Wait ? $one : $waits[$one->pid], $found);
    }

    /** @param non-empty-list<Halt> $halts */
    private function read(array $halts, bool $isOurs): Network
    {
        $inodes = array_values(array_unique(array_merge(...array_map(static fn (Halt $halt): array => $halt->sockets(), $halts))));
        $withPaths = array_filter($halts, static fn (Halt $halt): bool => $halt->path !== null) !== [];

        return Network::read($halts[0]->pid, $inodes, $isOurs, $withPaths, $this->files, $this->statistics, $this->peers);
    }

    /** Which network a process has: a container has one of its own. */
    private function network(int $pid): string
    {
        return $this->files->target("/proc/{$pid}/ns/net") ?? "of {$pid}";
    }
}
