<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Doctor\Facts\Kernel\KernelFiles;
use Headroom\Doctor\Facts\Kernel\TcpState;
use Headroom\Doctor\Facts\Kernel\UnableToTell;

use function hex2bin;
use function hexdec;
use function implode;
use function inet_ntop;
use function preg_match_all;
use function str_contains;
use function str_split;
use function str_starts_with;
use function strrev;
use function substr;

/**
 * Sockets of /proc/PID/net/tcp, tcp6, udp and udp6, read once. Of many rows only those that are asked for are taken apart.
 *
 * @internal
 */
final readonly class InetTable
{
    // sl, local, remote, state, tx_queue:rx_queue, timer, retransmits, uid, timeout, inode.
    private const ROW = '/^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) ([0-9A-F]{8}):[0-9A-F]{8} \S+ \S+ +\d+ +\d+ (%s) /m';

    private const LISTENING = '/^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A \S+ \S+ \S+ +\d+ +\d+ (\d+) /m';

    /**
     * @param array<int, list<string>> $rows by inode, as ROW takes them apart
     * @param array<string, array<string, int>> $listeners inode by port and address
     */
    private function __construct(private array $rows, private array $listeners) {}

    /**
     * @param list<int> $inodes that will be asked for
     *
     * @throws UnableToTell
     */
    public static function read(int $pid, array $inodes, KernelFiles $files): self
    {
        $rows = [];
        $listeners = [];
        $wanted = sprintf(self::ROW, implode('|', $inodes));

        foreach (['tcp', 'tcp6', 'udp', 'udp6'] as $protocol) {
            // Without IPv6 there are no tables of it.
            if ($protocol !== 'tcp' && ! $files->has("/proc/{$pid}/net/{$protocol}")) {
                continue;
            }

            $text = $files->read("/proc/{$pid}/net/{$protocol}");
            preg_match_all($wanted, $text, $found, PREG_SET_ORDER);

            foreach ($found as $row) {
                $rows[(int) $row[7]] = [$protocol, ...$row];
            }

            preg_match_all(str_starts_with($protocol, 'tcp') ? self::LISTENING : '/\A\z(?!)/', $text, $found, PREG_SET_ORDER);

            foreach ($found as $row) {
                $listeners[$row[2]][self::address($row[1])] = (int) $row[3];
            }
        }

        return new self($rows, $listeners);
    }

    public function find(int $inode): ?Socket
    {
        if (! isset($this->rows[$inode])) {
            return null;
        }

        [$protocol, , $local, $localPort, $remote, $remotePort, $state, $unsent] = $this->rows[$inode];
        $isTcp = str_starts_with($protocol, 'tcp');
        [$from, $to] = [self::address($local), self::address($remote)];

        return new Socket(
            isUnix: false,
            remote: (str_contains($to, ':') ? "[{$to}]" : $to).':'.hexdec($remotePort),
            remotePort: (int) hexdec($remotePort),
            listens: $isTcp ? $state === TcpState::Listen->value : $remotePort === '0000',
            isAccepted: $isTcp && $state !== TcpState::Listen->value && $this->listener($from, $localPort) !== null,
            isOpening: $isTcp && $state === TcpState::SynSent->value,
            hasUnsent: hexdec($unsent) > 0,
            // To an address of its own a machine speaks from that address.
            listener: $isTcp && ($from === $to || str_starts_with($to, '127.') || $to === '::1') ? $this->listener($to, $remotePort) : null,
        );
    }

    private function listener(string $address, string $port): ?int
    {
        $at = $this->listeners[$port] ?? [];

        return $at[$address] ?? $at['0.0.0.0'] ?? $at['::'] ?? null;
    }

    /** In memory order, words of 32 bits with their last byte first; an IPv4 address in the tables of IPv6 is one of IPv4. */
    private static function address(string $hex): string
    {
        $bytes = implode('', array_map(static fn (string $word): string => strrev((string) hex2bin($word)), str_split($hex, 8)));
        $text = (string) inet_ntop($bytes);

        return str_starts_with($text, '::ffff:') && str_contains($text, '.') ? substr($text, 7) : $text;
    }
}
