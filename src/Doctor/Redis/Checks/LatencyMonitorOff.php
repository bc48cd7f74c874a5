<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;

/**
 * @internal
 */
final readonly class LatencyMonitorOff implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)
            ->each(static fn (RedisServer $server): Finding => $server->setting('latency-monitor-threshold') !== '0'
                ? Finding::pass('it writes down what was slow', $server->shownSetting('latency-monitor-threshold'))
                : Finding::warn(
                    'It writes nothing down.',
                    [$server->shownSetting('latency-monitor-threshold')],
                    'Whether a fork or the disk held requests up can not be told afterwards.',
                    new Fix(
                        'Let it write down what takes more than 100 ms.',
                        $server->keep('latency-monitor-threshold 100'),
                        $server->set('latency-monitor-threshold 100'),
                        implode(' && ', $server->set('latency-monitor-threshold 0')),
                        $server->cli('latency doctor'),
                    ),
                ));
    }
}
