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
            $isOn ? $server->settingEvidence('appendfsync') : null,
            $isOn ? $server->shown('aof_delayed_fsync') : null,
        ];
        $found = array_keys([
            'appendfsync is always' => $always,
            sprintf('%d writes waited for a slow disk', $delayed) => $delayed > 0.0,
            sprintf('the last fork took %.0f ms', $fork / 1000) => $isSlow,
        ], true, true);

        return ($found === [] ? Finding::pass('this server does not wait for its disk', ...$evidence) : Finding::warn(
            'On this server, '.implode(', ', $found).'.',
            $evidence,
            $always ? $server->fix('appendfsync everysec', 'always', 'config get appendfsync', [
                $delayed > 0.0 ? $server->cli('config resetstat') : '',
            ]) : new Fix(verify: $server->cli('info persistence')),
        ))->withConfidence($delayed > 0.0 || $isSlow || ! $always ? Confidence::Observed : Confidence::Configured);
    }
}
