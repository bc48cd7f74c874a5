<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;

/**
 * @internal
 */
final readonly class EvictsLastingKeys implements RedisCheck
{
    private const LASTING = ['session' => 'sessions', 'queue' => 'jobs'];

    private const CONSEQUENCES = ['session' => 'Users are logged out', 'queue' => 'jobs vanish'];

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $lasting = array_intersect_key(self::LASTING, array_flip($server->uses));

        if ($lasting === []) {
            return Finding::skipped($server->uses === []
                ? 'no Laravel configuration that was read uses this server'
                : 'this server stores the cache only');
        }

        $policy = $server->has('maxmemory_policy') ? $server->field('maxmemory_policy')
            : $server->setting('maxmemory-policy');
        // volatile-* evicts keys with a time to live: sessions have one, and jobs have none.
        $evictable = str_starts_with($policy, 'volatile-') ? array_diff_key($lasting, ['queue' => true]) : $lasting;
        $evicted = $server->number('evicted_keys');
        $isFull = $evicted > 0.0;
        $evictsNothing = ! $isFull && ($policy === 'noeviction' || $server->number('maxmemory') <= 0.0);
        $evidence = [
            new Evidence('used by', implode(', ', $server->uses), 'the configuration'),
            $server->shown('maxmemory'),
            new Evidence('maxmemory_policy', $policy, "INFO of {$server->place}"),
            $server->shown('evicted_keys'),
        ];

        return match (true) {
            $evictable === [] => Finding::pass('this policy evicts no jobs', ...$evidence),
            $evictsNothing => Finding::pass('this server evicts nothing', ...$evidence),
            default => Finding::fail(
                ($isFull ? sprintf('Keys that this server evicted since it started: %d', $evicted)
                    : "The policy of this server is {$policy}").'. This server stores '.implode(' and ', $evictable)
                    .'.',
                $evidence,
                $server->fix('maxmemory-policy noeviction', $policy, 'info memory', [
                    $isFull ? $server->cli('config resetstat') : '',
                ]),
                ucfirst(implode(' and ', array_intersect_key(self::CONSEQUENCES, $evictable))).', without an error.',
            )->withConfidence($isFull ? Confidence::Observed : Confidence::Configured),
        };
    }
}
