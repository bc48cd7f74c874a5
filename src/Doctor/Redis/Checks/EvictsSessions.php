<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;

/**
 * @internal
 */
final readonly class EvictsSessions implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)->each(static function (RedisServer $server): Finding {
            if ($server->uses === []) {
                return Finding::skipped('what is kept there only an application knows');
            }

            $lasting = array_values(array_intersect($server->uses, ['session', 'queue']));

            if ($lasting === []) {
                return Finding::skipped('only the cache is there');
            }

            $policy = $server->has('maxmemory_policy')
                ? $server->fields('maxmemory_policy')['maxmemory_policy']
                : $server->setting('maxmemory-policy');
            $evicted = $server->number('evicted_keys');
            $evidence = [
                new Evidence('used by', implode(', ', $server->uses), 'the configuration'),
                $server->shown('maxmemory'),
                new Evidence('maxmemory_policy', $policy, "INFO of {$server->place}"),
                $server->shown('evicted_keys'),
            ];
            // volatile-*: sessions have a time to live, so they are the first to go.
            $canEvict = $policy !== 'noeviction' && $server->number('maxmemory') > 0.0;

            if ($evicted <= 0.0 && ! $canEvict) {
                return Finding::pass('it throws nothing away', ...$evidence);
            }

            return Finding::fail(
                ($evicted > 0.0
                    ? sprintf('It has thrown away %d keys since it started', $evicted)
                    : "Its policy is {$policy}")
                    .', and keeps '
                    .implode(
                        ' and ',
                        array_map(
                            static fn (string $use): string => $use === 'session' ? 'sessions' : 'jobs',
                            $lasting,
                        ),
                    )
                    .'.',
                $evidence,
                'Users are logged out and jobs vanish, and no error says so.',
                new Fix(
                    'Keep the cache on a Redis of its own, which may evict, and let this one keep what it has:'
                        .' it then refuses writes when it is full, which is seen.',
                    $server->keep('maxmemory-policy noeviction'),
                    [
                        ...$server->set('maxmemory-policy noeviction'),
                        ...($evicted > 0.0 ? [$server->cli('config resetstat')] : []),
                    ],
                    implode(' && ', $server->set('maxmemory-policy '.escapeshellarg($policy))),
                    $server->cli('info memory'),
                ),
            )->restingOn($evicted > 0.0 ? Confidence::Observed : Confidence::Configured);
        });
    }
}
