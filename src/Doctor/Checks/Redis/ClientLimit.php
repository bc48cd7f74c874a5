<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Redis;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Redis\RedisServer;
use Headroom\Doctor\Facts\Redis\RedisServers;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ClientLimit implements Check
{
    private const FULL = 0.8;

    public function rule(): Rule
    {
        return new Rule(
            'R3',
            'Redis is about to turn connections away',
            Severity::High,
            Layer::Redis,
            'Redis takes `maxclients` connections, and no more than its limit of open files allows. One more is told so and closed, and the request that wanted it fails. Each PHP process holds a persistent connection for each of the connections that it uses, on every web server, and so does each queue worker.',
            'It has turned connections away since it started, or more than 80 % of maxclients are connected.',
            ['https://redis.io/docs/latest/develop/reference/clients/'],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(RedisServers::class)->each(static function (RedisServer $server): Finding {
            $connected = $server->number('connected_clients');
            $most = $server->has('maxclients') ? $server->number('maxclients') : (float) $server->setting('maxclients');
            $rejected = $server->number('rejected_connections');
            $evidence = [$server->shown('connected_clients'), new Evidence('maxclients', (string) (int) $most, "INFO of {$server->place}"), $server->shown('rejected_connections')];

            if ($rejected <= 0.0 && $connected <= self::FULL * $most) {
                return Finding::pass('there is room', ...$evidence);
            }

            return Finding::fail(
                $rejected > 0.0 ? sprintf('It has turned away %d connections since it started.', $rejected) : sprintf('%d of %d connections are taken.', $connected, $most),
                $evidence,
                'Requests that need Redis fail at once when it is full.',
                new Fix('Raise maxclients and the limit of open files of its unit; a sum of PHP processes and workers times their connections says how far.', [], [$server->cli('config set maxclients '.(int) (2 * $most)), "sudo systemctl edit {$server->product()}-server   # [Service] LimitNOFILE=32768", $server->cli('config resetstat')], $server->cli('config set maxclients '.(int) $most), $server->cli('info clients')),
            )->restingOn(Confidence::Observed);
        });
    }
}
