<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
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

    private const SETTING = 'net.ipv4.tcp_max_syn_backlog';

    private const MIN_BACKLOG = 8_192;

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
        $evidence = [
            ...array_map($tcp->evidence(...), $counted),
            // This user may not be allowed to read the log.
            $facts->find(KernelLog::class)?->last('/Possible SYN flooding/', INF),
        ];

        yield $times === 0 ? Finding::pass('the queue was not full during the observation', ...$evidence)
            : Finding::warn(
                sprintf('Times that the queue was full in %.1f s: %d.', $tcp->seconds(), $times),
                [...$evidence, $facts->get(Sysctl::class)->evidence(self::SETTING)],
                self::fix($facts->get(Sysctl::class)),
            )->observed();
    }

    private static function fix(Sysctl $sysctl): Fix
    {
        $now = $sysctl->integer(self::SETTING);

        return new Fix(
            changes: $now >= self::MIN_BACKLOG ? [] : $sysctl->edits(self::SETTING, self::MIN_BACKLOG),
            rollback: Sysctl::restored([self::SETTING => $now]),
            verify: 'nstat -az TcpExtTCPReqQFullDoCookies TcpExtTCPReqQFullDrop',
        );
    }
}
