<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * Sockets of /proc/PID/net/unix, read once. Only the accepting end has a path there. ss shows the other end.
 *
 * @internal
 */
final readonly class UnixTable
{
    // Num, RefCount, Protocol, Flags, Type, St, Inode, Path
    private const ROW =
        '/^[0-9a-fA-F]+: [0-9A-F]{8} [0-9A-F]{8} ([0-9A-F]{8}) [0-9A-F]{4} [0-9A-F]{2} +(\d+)(?: (.+))?$/m';

    // __SO_ACCEPTCON
    private const LISTENS = 0x10000;

    /**
     * @param array<int, string> $paths by inode; '' without a path
     * @param array<string, int> $listeners inode by path
     */
    private function __construct(private array $paths, private array $listeners) {}

    /** @throws FactUnavailable */
    public static function read(int $pid, KernelFiles $files): self
    {
        preg_match_all(self::ROW, $files->read("/proc/{$pid}/net/unix"), $rows, PREG_SET_ORDER);
        $paths = [];
        $listeners = [];

        foreach ($rows as $row) {
            $paths[(int) $row[2]] = $row[3] ?? '';

            if (((int) hexdec($row[1]) & self::LISTENS) !== 0) {
                $listeners[$row[3] ?? ''] = (int) $row[2];
            }
        }

        return new self($paths, $listeners);
    }

    /** @param ?int $peer inode of its other end */
    public function find(int $inode, ?int $peer): ?Socket
    {
        if (! isset($this->paths[$inode])) {
            return null;
        }

        $path = $this->paths[$inode];
        $other = $peer === null ? '' : $this->paths[$peer] ?? '';
        $listens = $path !== '' && ($this->listeners[$path] ?? null) === $inode;

        return new Socket(
            isUnix: true,
            remote: $other === '' ? '' : "unix:{$other}",
            listens: $listens,
            // An accepted socket has the path of the listening socket.
            isAccepted: ! $listens && isset($this->listeners[$path]) && $path !== '',
            listener: $this->listeners[$other] ?? null,
        );
    }

    public function listener(string $path): ?int
    {
        return $this->listeners[$path] ?? null;
    }

    public function isNameless(int $inode): bool
    {
        return ($this->paths[$inode] ?? null) === '';
    }
}
