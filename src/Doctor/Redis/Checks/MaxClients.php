<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\PhpProcesses;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class MaxClients implements RedisCheck
{
    private const FULL_SHARE = 0.8;

    private const RESERVE = 100;

    private const CONSEQUENCE = 'When it is full, requests that need Redis fail at once.';

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $php = PhpProcesses::of($facts);
        $connected = $server->number('connected_clients');
        $most = (int) ($server->has('maxclients') ? $server->number('maxclients') : $server->setting('maxclients'));
        $rejected = $server->number('rejected_connections');
        $each = RedisUsage::connectionsTo($server, $facts);
        $sum = $each * $php->number;
        $evidence = [
            $server->shown('connected_clients'),
            new Evidence('maxclients', (string) $most, "INFO of {$server->place}"),
            $server->shown('rejected_connections'),
            ...($each === 0 ? [] : [
                ...$php->evidence,
                new Evidence('connections of a process', (string) $each, 'config/database.php'),
                new Evidence('sum', (string) $sum, 'processes times connections of a process'),
            ]),
        ];
        $message = match (true) {
            $rejected > 0.0 => sprintf('Connections that this server refused since it started: %d.', $rejected),
            $connected > self::FULL_SHARE * $most => sprintf('%d of %d connections are in use.', $connected, $most),
            $sum > $most => "PHP processes and workers of this machine may open {$sum} connections, and Redis accepts"
                ." {$most}.",
            $each > 0 && $php->unknown !== null => throw $php->unknown,
            default => null,
        };

        if ($message === null) {
            return Finding::pass('this server accepts enough connections', ...$evidence);
        }

        $fix = self::fix($server, $most, max(2 * $most, $sum + self::RESERVE));

        return $rejected > 0.0 || $connected > self::FULL_SHARE * $most
            ? Finding::fail($message, $evidence, self::CONSEQUENCE, $fix)->observed()
            : Finding::warn($message, $evidence, self::CONSEQUENCE, $fix);
    }

    private static function fix(RedisServer $server, int $most, int $more): Fix
    {
        return $server->fix(
            'Raise maxclients and the limit of open files of its unit, to the sum of PHP processes and workers times'
                .' their connections.',
            "maxclients {$more}",
            "maxclients {$most}",
            [
                "sudo systemctl edit {$server->product()}-server   # [Service] LimitNOFILE=".max(32_768, 2 * $more),
                $server->cli('config resetstat'),
            ],
            'info clients',
        );
    }
}
