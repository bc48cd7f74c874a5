<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class FullBacklog implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F6',
            'Requests wait for a process right now, and the status page says 0',
            Severity::High,
            Layer::Fpm,
            'The listen queue of the status page is always 0 on a Unix socket, however many wait. The kernel knows it:'
                .' Recv-Q of the socket that listens. While requests wait and CPUs are idle, the processes wait for'
                .' something else; more of them only make the queue move elsewhere.',
            'Connections wait in the backlog of the pool while the doctor looks.',
            ['https://github.com/php/php-src/issues/9943', 'https://man7.org/linux/man-pages/man8/ss.8.html'],
            60,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $queue = $pool->queue();
            $evidence = [
                new Evidence(
                    'connections that wait',
                    $queue->limit === null ? (string) $queue->waiting : "{$queue->waiting} of {$queue->limit}",
                    $queue->source,
                ),
                $pool->evidence('pm.max_children'),
            ];

            return $queue->waiting === 0 ? Finding::pass('nobody waits', ...$evidence) : Finding::fail(
                "{$queue->waiting} connections wait for a process.",
                $evidence,
                $queue->isFull() === true
                    ? 'The next request is answered with 502 at once.'
                    : 'Each request takes as much longer as it waits.',
                new Fix(
                    'Find out what the processes wait for: switch the slow log on (check F8) and read it with headroom'
                        .' slowlog. More processes help only where CPU and memory are free.',
                    [],
                    [],
                    'Nothing was changed.',
                    'ss -xl, or ss -tln: Recv-Q',
                ),
            )->restingOn(Confidence::Observed);
        });
    }
}
