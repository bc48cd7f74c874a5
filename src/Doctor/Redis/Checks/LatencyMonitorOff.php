<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class LatencyMonitorOff implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'R7',
            'Redis does not write down when it was slow',
            Severity::Low,
            Layer::Redis,
            'LATENCY DOCTOR tells what held Redis up, forks and slow disks among it, but only of events that it was'
                .' asked to write down. By default it is asked for none.',
            'latency-monitor-threshold is 0.',
            ['https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency-monitor/'],
            1,
        );
    }

    public function examine(Facts $facts): array
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
