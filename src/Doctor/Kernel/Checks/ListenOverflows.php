<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\KernelWindow;

/**
 * @internal
 */
final readonly class ListenOverflows implements Check
{
    public function examine(Facts $facts): iterable
    {
        $tcp = $facts->get(KernelWindow::class)->tcp();
        $lost = max($tcp->by('ListenOverflows'), $tcp->by('ListenDrops'));
        $evidence = [$tcp->evidence('ListenOverflows'), $tcp->evidence('ListenDrops')];

        yield $lost === 0
            ? Finding::pass('no connection was lost during the observation', ...$evidence)
            : Finding::fail(
                sprintf('Connections lost in %.1f s: %d.', $tcp->seconds(), $lost),
                $evidence,
                new Fix(commands: ['ss -ltn'], verify: 'nstat -az TcpExtListenOverflows TcpExtListenDrops'),
            )->observed();
    }
}
