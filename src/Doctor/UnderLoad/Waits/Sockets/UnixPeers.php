<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * The other end of Unix sockets. The ends of a connection do not change, so ss runs only for unknown ones.
 *
 * @internal
 */
final class UnixPeers
{
    // Limits the memory of a doctor:top that runs for days.
    private const MAX_PEERS = 20_000;

    /** @var array<int, int> by inode */
    private array $peers = [];

    public function __construct(private readonly SocketStatistics $statistics) {}

    /**
     * @param list<int> $inodes
     * @return array<int, int> the other end, if ss shows it
     */
    public function of(array $inodes): array
    {
        if (array_filter($inodes, fn (int $inode): bool => ! array_key_exists($inode, $this->peers)) !== []) {
            $this->peers = array_slice($this->statistics->unixPeers() + $this->peers, 0, self::MAX_PEERS, true);
        }

        return array_intersect_key($this->peers, array_fill_keys($inodes, true));
    }
}
