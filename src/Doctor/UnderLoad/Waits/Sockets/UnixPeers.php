<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * Which Unix socket is the other end of which. A connection keeps its ends as long as it is there, so ss is asked only
 * about one that was not seen before.
 *
 * @internal
 */
final class UnixPeers
{
    // So that a process that looks for days does not remember all that ever was.
    private const MOST = 20_000;

    /** @var array<int, int> by inode */
    private array $peers = [];

    public function __construct(private readonly SocketStatistics $statistics) {}

    /**
     * @param list<int> $inodes
     * @return array<int, int> the other end of each that is told
     */
    public function of(array $inodes): array
    {
        if (array_filter($inodes, fn (int $inode): bool => ! array_key_exists($inode, $this->peers)) !== []) {
            $this->peers = array_slice($this->statistics->unixPeers() + $this->peers, 0, self::MOST, true);
        }

        return array_intersect_key($this->peers, array_fill_keys($inodes, true));
    }
}
