<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * Sockets of TCP and UDP, and their peers.
 *
 * @internal
 */
final readonly class InetTable
{
    /**
     * @param array<int, InetRow> $rows by inode
     * @param array<int, array<string, int>> $listeners inode by port and address
     */
    private function __construct(private array $rows, private array $listeners) {}

    /** @param list<InetRow> $rows the wanted ones, and all listening ones */
    public static function of(array $rows): self
    {
        $byInode = [];
        $listeners = [];

        foreach ($rows as $row) {
            $byInode[$row->inode] = $row;

            if ($row->listens && $row->isTcp) {
                $listeners[$row->localPort][$row->local] = $row->inode;
            }
        }

        return new self($byInode, $listeners);
    }

    public function find(int $inode): ?Socket
    {
        $row = $this->rows[$inode] ?? null;

        // A machine connects to an address of its own from the same address.
        return $row === null ? null : new Socket(
            isUnix: false,
            remote: (str_contains($row->remote, ':') ? "[{$row->remote}]" : $row->remote).":{$row->remotePort}",
            remotePort: $row->remotePort,
            listens: $row->listens,
            isAccepted: $row->isTcp && ! $row->listens && $this->listener($row->local, $row->localPort) !== null,
            isOpening: $row->isOpening,
            hasUnsent: $row->hasUnsent,
            listener: $row->isTcp
                    && ($row->local === $row->remote || str_starts_with($row->remote, '127.') || $row->remote === '::1')
                ? $this->listener($row->remote, $row->remotePort)
                : null,
        );
    }

    private function listener(string $address, int $port): ?int
    {
        $at = $this->listeners[$port] ?? [];

        return $at[$address] ?? $at['0.0.0.0'] ?? $at['::'] ?? null;
    }
}
