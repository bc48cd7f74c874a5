<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\Sockets\HexAddress;
use Headroom\Doctor\Kernel\Sockets\TcpState;

/**
 * Rows of /proc/PID/net/tcp, tcp6 and udp. Closed connections stay there for a minute, so a read takes 20 to 50 ms
 * after ten thousand requests.
 *
 * @internal
 */
final readonly class ProcRows
{
    // sl, local, remote, state, tx_queue:rx_queue, timer, retransmits, uid, timeout, inode.
    private const ROW = '/^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) (?:%s) /m';

    private const WANTED = '([0-9A-F]{2}) ([0-9A-F]{8}):[0-9A-F]{8} \S+ \S+ +\d+ +\d+ (%s)';

    private const LISTENING = '|(0A) ([0-9A-F]{8}):[0-9A-F]{8} \S+ \S+ +\d+ +\d+ (\d+)';

    /**
     * @param 'tcp'|'udp' $protocol
     * @param list<int> $inodes of the wanted sockets; listening TCP sockets are always included
     * @return list<InetRow>
     *
     * @throws FactUnavailable
     */
    public static function read(string $protocol, int $pid, array $inodes, KernelFiles $files): array
    {
        $rows = [];
        $pattern = sprintf(
            self::ROW,
            sprintf(self::WANTED, implode('|', $inodes)).($protocol === 'tcp' ? self::LISTENING : ''),
        );

        foreach ([$protocol, "{$protocol}6"] as $table) {
            // Without IPv6 its tables do not exist.
            if ($table === 'tcp' || $files->has("/proc/{$pid}/net/{$table}")) {
                preg_match_all($pattern, $files->read("/proc/{$pid}/net/{$table}"), $found, PREG_SET_ORDER);
                $rows = [
                    ...$rows,
                    ...array_map(
                        static fn (array $row): InetRow => self::row(
                            $protocol === 'tcp',
                            array_values(array_filter($row, static fn (string $part): bool => $part !== '')),
                        ),
                        $found,
                    ),
                ];
            }
        }

        return $rows;
    }

    /** @param list<string> $row */
    private static function row(bool $isTcp, array $row): InetRow
    {
        [, $local, $localPort, $remote, $remotePort, $state, $unsent, $inode] = $row + ['', '', '', '', '', '', '', ''];

        return new InetRow(
            $isTcp,
            (int) $inode,
            HexAddress::text($local),
            (int) hexdec($localPort),
            HexAddress::text($remote),
            (int) hexdec($remotePort),
            $isTcp ? $state === TcpState::Listen->value : $remotePort === '0000',
            $isTcp && $state === TcpState::SynSent->value,
            hexdec($unsent) > 0,
        );
    }
}
