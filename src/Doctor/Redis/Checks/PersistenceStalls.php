<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;

/**
 * @internal
 */
final readonly class PersistenceStalls implements Check
{
    private const FORK_MICROS = 100_000;

    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)->each(static function (RedisServer $server): Finding {
            $fork = $server->number('latest_fork_usec');
            $isOn = $server->number('aof_enabled') > 0.0;
            $delayed = $isOn ? $server->number('aof_delayed_fsync') : 0.0;
            $always = $isOn && $server->setting('appendfsync') === 'always';
            $evidence = [$server->shown('aof_enabled'), $server->shown('latest_fork_usec')];

            if ($isOn) {
                array_push($evidence, $server->shownSetting('appendfsync'), $server->shown('aof_delayed_fsync'));
            }

            $found = array_keys(
                [
                    'appendfsync is always' => $always,
                    sprintf('%d writes waited for a slow disk', $delayed) => $delayed > 0.0,
                    sprintf('the last fork took %.0f ms', $fork / 1000) => $fork > self::FORK_MICROS,
                ],
                true,
                true,
            );

            return $found === [] ? Finding::pass('it does not wait for its disk', ...$evidence) : Finding::warn(
                ucfirst(implode(', ', $found)).'.',
                $evidence,
                'Every request that needs Redis waits meanwhile.',
                $always
                    ? new Fix(
                        'Let it reach the disk each second; what was written in the last second is lost when the'
                            .' machine loses power.',
                        $server->keep('appendfsync everysec'),
                        [
                            ...$server->set('appendfsync everysec'),
                            ...($delayed > 0.0 ? [$server->cli('config resetstat')] : []),
                        ],
                        implode(' && ', $server->set('appendfsync always')),
                        $server->cli('config get appendfsync'),
                    )
                    : new Fix(
                        'Give it a disk of its own, or memory enough that it need not write: a cache and sessions need'
                            .' no log at all. A fork is shorter with transparent huge pages switched off and fewer GB'
                            .' in one server.',
                        [],
                        [],
                        'Nothing was changed.',
                        $server->cli('info persistence'),
                    ),
            )->restingOn(
                $always && $delayed <= 0.0 && $fork <= self::FORK_MICROS
                    ? Confidence::Configured
                    : Confidence::Observed,
            );
        });
    }
}
