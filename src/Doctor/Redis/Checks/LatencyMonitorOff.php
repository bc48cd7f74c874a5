<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;

/**
 * @internal
 */
final readonly class LatencyMonitorOff implements RedisCheck
{
    private const SETTING = 'latency-monitor-threshold';

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        return $server->setting(self::SETTING) !== '0'
            ? Finding::pass('this server records slow events', $server->settingEvidence(self::SETTING))
            : Finding::warn(
                'The latency monitor of this server is off.',
                [$server->settingEvidence(self::SETTING)],
                'When requests were slow, you cannot find out whether a fork or a disk of Redis delayed them.',
                $server->fix(
                    'Record events that take more than 100 ms.',
                    self::SETTING.' 100',
                    self::SETTING.' 0',
                    [],
                    'latency doctor',
                ),
            );
    }
}
