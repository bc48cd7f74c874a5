<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\Sysctl;

/**
 * @internal
 */
final readonly class FullSynQueue implements Check
{
    private const COUNTERS = ['TCPReqQFullDoCookies', 'TCPReqQFullDrop'];

    private const NAME = 'net.ipv4.tcp_max_syn_backlog';

    private const MORE = 8_192;

    public function examine(Facts $facts): iterable
    {
        $tcp = $facts->get(KernelWindow::class)->tcp();
        $counted = array_values(array_filter(self::COUNTERS, $tcp->has(...)));

        if ($counted === []) {
            throw FactUnavailable::because(
                'This kernel does not count full queues of connections that are being opened.',
                'sudo dmesg -T | grep "SYN flooding"',
            );
        }

        $times = array_sum(array_map($tcp->by(...), $counted));
        $evidence = [...array_map($tcp->evidence(...), $counted), ...$this->notice($facts)];

        if ($times === 0) {
            return [Finding::pass('the queue was not full while the doctor looked', ...$evidence)];
        }

        $sysctl = $facts->get(Sysctl::class);
        $now = $sysctl->integer(self::NAME);

        return [Finding::warn(
            sprintf('Times that the queue was full in %.1f s: %d.', $tcp->seconds(), $times),
            [...$evidence, new Evidence(self::NAME, (string) $now, Sysctl::path(self::NAME))],
            'Connections are opened late or not at all.',
            new Fix(
                'Where it is no attack: a longer backlog of who listens (checks F5 and N15), which this queue is as'
                    .' long as, more of them that accept (N3), and room for more.',
                $now >= self::MORE ? [] : $sysctl->edits(self::NAME, self::MORE),
                $now >= self::MORE ? [] : ['sudo sysctl -p '.Sysctl::FILE],
                'sudo sysctl -w '.self::NAME."={$now}, and remove the line.",
                'nstat -az TcpExtTCPReqQFullDoCookies TcpExtTCPReqQFullDrop',
            ),
        )->restingOn(Confidence::Observed)];
    }

    /** @return list<Evidence> the last one, where the log may be read */
    private function notice(Facts $facts): array
    {
        $lines = $facts->find(KernelLog::class)?->matching('/Possible SYN flooding/', INF) ?? [];

        return $lines === [] ? [] : [$lines[count($lines) - 1]->evidence()];
    }
}
