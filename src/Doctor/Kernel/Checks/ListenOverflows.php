<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ListenOverflows implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'S2',
            'Connections are lost at a full backlog',
            Severity::High,
            Layer::Kernel,
            'A TCP connection that does not fit into the backlog of who listens is dropped without a word.'
                .' Its client tries again after one second, then two, then four: requests take whole seconds longer'
                .' although every server is idle in between, and often nginx reports a timeout of PHP.'
                .' A Unix socket does not count here: there nginx gets its 502 at once (check F6).',
            'ListenOverflows or ListenDrops of the kernel rose during the second that the doctor looked.'
                .' What was counted before is shown, and is no reason: it may be of last year. Only the network of this'
                .' process is seen, not that of a container.',
            [
                'https://docs.kernel.org/networking/snmp_counter.html',
                'https://man7.org/linux/man-pages/man2/listen.2.html',
            ],
            20,
        );
    }

    public function examine(Facts $facts): array
    {
        $tcp = $facts->get(KernelWindow::class)->tcp();
        $lost = max($tcp->by('ListenOverflows'), $tcp->by('ListenDrops'));
        $evidence = [$tcp->evidence('ListenOverflows'), $tcp->evidence('ListenDrops')];

        return [$lost === 0 ? Finding::pass('none was lost while the doctor looked', ...$evidence) : Finding::fail(
            sprintf('Connections lost in %.1f s: %d.', $tcp->seconds(), $lost),
            $evidence,
            'Requests take one, three or seven seconds longer, or fail.',
            new Fix(
                'Find who listens with a full backlog: Recv-Q above Send-Q. Have it accept faster (checks F2 and F6 of'
                    .' PHP-FPM, N3 of nginx); a longer backlog (F5, N15) only helps where bursts are short.',
                [],
                ['ss -ltn'],
                'Nothing was changed.',
                'nstat -az TcpExtListenOverflows TcpExtListenDrops',
            ),
        )->restingOn(Confidence::Observed)];
    }
}
