<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;

/**
 * @internal
 */
final readonly class PersistenceStalls implements RedisCheck
{
    private const FORK_MICROS = 100_000;

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $fork = $server->number('latest_fork_usec');
        $isOn = $server->number('aof_enabled') > 0.0;
        $delayed = $isOn ? $server->number('aof_delayed_fsync') : 0.0;
        $always = $isOn && $server->setting('appendfsync') === 'always';
        $isSlow = $fork > self::FORK_MICROS;
        $evidence = [
            $server->shown('aof_enabled'),
            $server->shown('latest_fork_usec'),
            ...($isOn ? [$server->settingEvidence('appendfsync'), $server->shown('aof_delayed_fsync')] : []),
        ];
        $found = array_keys([
            'appendfsync is always' => $always,
            sprintf('%d writes waited for a slow disk', $delayed) => $delayed > 0.0,
            sprintf('the last fork took %.0f ms', $fork / 1000) => $isSlow,
        ], true, true);

        return ($found === [] ? Finding::pass('this server does not wait for its disk', ...$evidence) : Finding::warn(
            'On this server, '.implode(', ', $found).'.',
            $evidence,
            'While this server waits for the disk, each request that needs it waits.',
            $always ? self::syncEverySecondFix($server, $delayed > 0.0) : self::lighterDiskFix($server),
        ))->withConfidence($delayed > 0.0 || $isSlow || ! $always ? Confidence::Observed : Confidence::Configured);
    }

    private static function syncEverySecondFix(RedisServer $server, bool $hasDelays): Fix
    {
        return $server->fix(
            'Write to the disk each second. When the machine loses power, the writes of the last second are lost.',
            'appendfsync everysec',
            'appendfsync always',
            $hasDelays ? [$server->cli('config resetstat')] : [],
            'config get appendfsync',
        );
    }

    private static function lighterDiskFix(RedisServer $server): Fix
    {
        return new Fix(
            'Give this server a disk of its own. A cache needs no append-only file (AOF); without it, a crash loses the'
                .' sessions since the last snapshot. A fork is shorter without transparent huge pages and with fewer GB'
                .' in one server.',
            verify: $server->cli('info persistence'),
        );
    }
}
