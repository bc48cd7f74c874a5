<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\RedisWindow;

/**
 * @internal
 */
final readonly class TcpOnOneMachine implements RedisCheck
{
    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $app = $facts->get(Application::class);

        return match (true) {
            ! $server->isHere() => Finding::skipped('this server is on another machine'),
            str_starts_with($server->place, 'unix:') => Finding::pass('PHP reaches this server over a Unix socket'),
            default => Finding::warn(
                'This server is on the same machine, and PHP reaches it over TCP.',
                [
                    new Evidence('address', $server->place, 'config/database.php'),
                    $facts->get(RedisWindow::class)->of($server)->trip(),
                ],
                self::fix($server, $app),
            ),
        };
    }

    private static function fix(RedisServer $server, Application $app): Fix
    {
        $socket = $server->optionalSetting('unixsocket') ?? '';
        // Predis treats a path as a host name.
        $isPredis = (new RedisUsage($app))->client() !== 'phpredis';

        return match (true) {
            $socket === '' => new Fix(
                commands: ['sudo usermod -aG redis www-data'],
                rollback: 'Restore REDIS_HOST and REDIS_PORT, and remove the lines from redis.conf.',
            ),
            $isPredis => new Fix(
                "This server also listens on {$socket}. Predis reaches it with 'scheme' => 'unix' and 'path' =>"
                    ." '{$socket}' of its connections in {$app->file('database')}; with phpredis (check R11) the path"
                    .' is the host.',
                commands: $app->recache(),
                rollback: 'Restore the connections.',
            ),
            default => $app->setting(
                'REDIS_HOST',
                $socket,
                "This server also listens on {$socket}: use it as the host. The user of PHP must be able to"
                    .' write to it.',
            )->and($app->setting('REDIS_PORT', '0')),
        };
    }
}
