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
        $evidence = $server->settingEvidence(self::SETTING);

        return $server->setting(self::SETTING) !== '0'
            ? Finding::pass('this server records slow events', $evidence)
            : Finding::warn(
                'The latency monitor of this server is off.',
                [$evidence],
                $server->fix(self::SETTING.' 100', '0', 'latency doctor'),
            );
    }
}
