<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Host\Programs;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

use function array_slice;
use function preg_match_all;

/**
 * Which Unix socket is the other end of which: the kernel tells it to ss alone. A connection keeps its ends as long as it is there, so ss is
 * started only for one that was not seen before.
 *
 * @internal
 */
final class UnixPeers
{
    private const SECONDS = 5;

    // So that a process that looks for days does not remember all that ever was.
    private const MOST = 20_000;

    // Netid, State, Recv-Q, Send-Q, local path (* without one) and inode, remote path and inode.
    private const ROW = '/^u_(?:str|seq) +ESTAB +\d+ +\d+ +\* (\d+) +\S.*? (\d+) *$/m';

    /** @var array<int, ?int> by inode; null of whom ss does not tell */
    private array $peers = [];

    /**
     * @param list<int> $inodes
     * @return array<int, ?int> the other end of each
     */
    public function of(array $inodes): array
    {
        $unseen = array_filter($inodes, fn (int $inode): bool => ! array_key_exists($inode, $this->peers));

        if ($unseen !== []) {
            $this->peers = array_slice(array_fill_keys($unseen, null) + $this->peers, 0, self::MOST, true);
            $this->ask();
        }

        return array_intersect_key($this->peers, array_fill_keys($inodes, null));
    }

    private function ask(): void
    {
        $ss = Programs::optional('ss');

        if ($ss === null) {
            return;
        }

        $process = new Process([$ss, '-xn'], null, ['LC_ALL' => 'C'], null, self::SECONDS);

        try {
            $process->run();
        } catch (ProcessTimedOutException) {
            return;
        }

        preg_match_all(self::ROW, $process->getOutput(), $rows, PREG_SET_ORDER);

        foreach ($rows as $row) {
            if (array_key_exists((int) $row[1], $this->peers)) {
                $this->peers[(int) $row[1]] = (int) $row[2] > 0 ? (int) $row[2] : null;
            }
        }
    }
}
