<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * The sockets of one network namespace at one moment. A table is read once, and only for sockets that no earlier table
 * has.
 *
 * @internal
 */
final readonly class NetworkNamespace
{
    /** @param array<int, Socket> $sockets by inode */
    private function __construct(private array $sockets, private ?UnixTable $unix, private ?string $why) {}

    /**
     * @param int $pid of a process in it
     * @param list<int> $inodes of the wanted sockets
     * @param bool $isOurs whether it is that of this process, which ss shows
     * @param bool $withPaths whether listeners of paths are wanted
     */
    public static function read(
        int $pid,
        array $inodes,
        bool $isOurs,
        bool $withPaths,
        KernelFiles $files,
        SocketStatistics $statistics,
        UnixPeers $peers,
    ): self {
        $sockets = [];
        $unix = null;

        try {
            $rows = $inodes === []
                ? []
                : ($isOurs ? $statistics->tcp($inodes) : null) ?? ProcRows::read('tcp', $pid, $inodes, $files);
            $sockets = self::found($inodes, InetTable::of($rows)->find(...));
            $others = self::without($inodes, $sockets);
            $unix = $others === [] && ! $withPaths ? null : UnixTable::read($pid, $files);

            if ($unix !== null) {
                $ends = $isOurs ? $peers->of(array_values(array_filter($others, $unix->isNameless(...)))) : [];
                $sockets += self::found(
                    $others,
                    static fn (int $inode): ?Socket => $unix->find($inode, $ends[$inode] ?? null),
                );
            }

            $others = self::without($inodes, $sockets);
            $sockets += $others === []
                ? []
                : self::found($others, InetTable::of(ProcRows::read('udp', $pid, $others, $files))->find(...));
        } catch (FactUnavailable $e) {
            return new self($sockets, $unix, "{$e->getMessage()} This command shows it: {$e->command}");
        }

        return new self($sockets, $unix, null);
    }

    public function find(int $inode): ?Socket
    {
        return $this->sockets[$inode] ?? null;
    }

    /** The inode of the socket that listens at a path. */
    public function listener(string $path): ?int
    {
        return $this->unix?->listener($path);
    }

    /** The reason why a socket is unknown. */
    public function whyNot(int $pid): string
    {
        return $this->why
            ?? "Its socket is in none of /proc/{$pid}/net/tcp, tcp6, udp, udp6 and unix: closed since, or of another"
                ." kind. This command shows it: sudo ls -l /proc/{$pid}/fd";
    }

    /**
     * @param list<int> $inodes
     * @param callable(int): ?Socket $find
     * @return array<int, Socket>
     */
    private static function found(array $inodes, callable $find): array
    {
        $found = [];

        foreach ($inodes as $inode) {
            $socket = $find($inode);

            if ($socket !== null) {
                $found[$inode] = $socket;
            }
        }

        return $found;
    }

    /**
     * @param list<int> $inodes
     * @param array<int, Socket> $sockets
     * @return list<int>
     */
    private static function without(array $inodes, array $sockets): array
    {
        return array_values(array_diff($inodes, array_keys($sockets)));
    }
}
