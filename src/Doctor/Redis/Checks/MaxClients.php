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

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $php = PhpProcesses::of($facts);
        $connected = $server->number('connected_clients');
        $most = (int) ($server->has('maxclients') ? $server->number('maxclients') : $server->setting('maxclients'));
        $rejected = $server->number('rejected_connections');
        $isFull = $rejected > 0.0 || $connected > self::FULL_SHARE * $most;
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
        $fix = self::fix($server, $most, max(2 * $most, $sum + self::RESERVE));

        return match (true) {
            $isFull => Finding::fail($rejected > 0.0
                ? sprintf('Connections that this server refused since it started: %d.', $rejected)
                : sprintf('%d of %d connections are in use.', $connected, $most), $evidence, $fix)->observed(),
            $sum > $most => Finding::warn(
                "PHP processes and workers of this machine may open {$sum} connections, and Redis accepts {$most}.",
                $evidence,
                $fix,
            ),
            $each > 0 && $php->unknown !== null => throw $php->unknown,
            default => Finding::pass('this server accepts enough connections', ...$evidence),
        };
    }

    private static function fix(RedisServer $server, int $most, int $more): Fix
    {
        return $server->fix("maxclients {$more}", (string) $most, 'info clients', [
            "sudo systemctl edit {$server->product()}-server   # [Service] LimitNOFILE=".max(32_768, 2 * $more),
            $server->cli('config resetstat'),
        ]);
    }
}
