<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Process\Programs;

/**
 * The sockets of this network namespace, by ss. It can omit closed connections, of which there are tens of thousands
 * after a load, and it shows both ends of a Unix socket.
 *
 * @internal
 */
final class SocketStatistics
{
    // State, Recv-Q, Send-Q, local and remote address, and more that ends with uid:, ino:, sk:.
    private const TCP = '/^(\S+) +\d+ +(\d+) +(\S+):(\d+) +(\S+):(\d+|\*) .*?\bino:(\d+)\b/m';

    // Netid, State, Recv-Q, Send-Q, local path (* without one) and inode, remote path and inode.
    private const UNIX = '/^u_(?:str|seq) +ESTAB +\d+ +\d+ +\* (\d+) +\S.*? (\d+) *$/m';

    private readonly ?string $ss;

    /** The previous output of ss has connections that were closed while ss was starting. */
    private string $before = '';

    public function __construct(private readonly ExternalProgram $program = new ExternalProgram)
    {
        $this->ss = Programs::optional('ss');
    }

    /**
     * @param list<int> $inodes of the wanted sockets; listening sockets are always included
     * @return ?list<InetRow> null if ss fails
     */
    public function tcp(array $inodes): ?array
    {
        $text = $this->ask('-tnaeHO', 'exclude', 'time-wait');

        if ($text === null) {
            return null;
        }

        if (trim($text) !== '' && preg_match(self::TCP, $text) !== 1) {
            return null;
        }

        preg_match_all(self::TCP, $this->before.$text, $found, PREG_SET_ORDER);
        $this->before = $text;
        $wanted = array_fill_keys($inodes, true);
        $rows = [];

        foreach ($found as [, $state, $unsent, $local, $localPort, $remote, $remotePort, $inode]) {
            if ($state === 'LISTEN' || isset($wanted[(int) $inode])) {
                $rows[] = new InetRow(
                    true,
                    (int) $inode,
                    self::address($local),
                    (int) $localPort,
                    self::address($remote),
                    (int) $remotePort,
                    $state === 'LISTEN',
                    $state === 'SYN-SENT',
                    (int) $unsent > 0,
                );
            }
        }

        return $rows;
    }

    /** @return array<int, int> inode of the other end by inode */
    public function unixPeers(): array
    {
        preg_match_all(self::UNIX, $this->ask('-xn') ?? '', $rows, PREG_SET_ORDER);
        $peers = [];

        foreach ($rows as $row) {
            // A connection that is not accepted yet has no inode at the other end.
            if ((int) $row[2] > 0) {
                $peers[(int) $row[1]] = (int) $row[2];
            }
        }

        return $peers;
    }

    private function ask(string ...$arguments): ?string
    {
        if ($this->ss === null) {
            return null;
        }

        try {
            return $this->program->output([$this->ss, ...array_values($arguments)], 'ss '.implode(' ', $arguments));
        } catch (FactUnavailable) {
            return null;
        }
    }

    /** "[::1]", "[fe80::1%eth0]", "[::ffff:127.0.0.1]", "127.0.0.53%lo", or * for any. */
    private static function address(string $shown): string
    {
        return $shown === '*'
            ? '::'
            : (string) preg_replace(['/\A\[(.*)\]\z/', '/%.*\z/', '/\A::ffff:(?=\d+\.)/'], ['$1', '', ''], $shown);
    }
}
