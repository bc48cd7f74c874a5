<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Doctor\Facts\Kernel\KernelFiles;
use Headroom\Doctor\Facts\Kernel\UnableToTell;

use function array_diff;
use function array_filter;
use function array_values;

/**
 * The sockets of one network, that of the machine or of a container, at one moment.
 *
 * @internal
 */
final readonly class Network
{
    /** @param array<int, Socket> $sockets by inode */
    private function __construct(private array $sockets, private ?UnixTable $unix, private ?string $why, public bool $isOurs) {}

    /**
     * @param int $pid of a process that has it
     * @param list<int> $inodes that will be asked for
     */
    public static function read(int $pid, array $inodes, bool $isOurs, bool $withPaths, KernelFiles $files, UnixPeers $peers): self
    {
        $sockets = [];
        $unix = null;

        try {
            $inet = $inodes === [] ? null : InetTable::read($pid, $inodes, $files);

            foreach ($inodes as $inode) {
                $sockets[$inode] = $inet?->find($inode);
            }

            $sockets = array_filter($sockets);
            $others = array_values(array_diff($inodes, array_keys($sockets)));
            $unix = $others === [] && ! $withPaths ? null : UnixTable::read($pid, $files);
            // ss looks into the network that it runs in.
            $ends = $unix === null || ! $isOurs ? [] : $peers->of(array_values(array_filter($others, $unix->isNameless(...))));

            foreach ($others as $inode) {
                $sockets[$inode] = $unix?->find($inode, $ends[$inode] ?? null);
            }
        } catch (UnableToTell $e) {
            return new self(array_filter($sockets), $unix, "{$e->getMessage()} This tells it: {$e->command}", $isOurs);
        }

        return new self(array_filter($sockets), $unix, null, $isOurs);
    }

    public function find(int $inode): ?Socket
    {
        return $this->sockets[$inode] ?? null;
    }

    /** Inode of what listens at a path. */
    public function listener(string $path): ?int
    {
        return $this->unix?->listener($path);
    }

    /** Why a socket is not known. */
    public function whyNot(int $pid): string
    {
        return $this->why ?? "Its socket is in none of /proc/{$pid}/net/tcp, tcp6, udp, udp6 and unix: closed since, or of another kind. This tells it: sudo ls -l /proc/{$pid}/fd";
    }
}
