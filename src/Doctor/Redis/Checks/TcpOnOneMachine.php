<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
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

        if (! $server->isHere()) {
            return Finding::skipped('this server is on another machine');
        }

        return str_starts_with($server->place, 'unix:') ? Finding::pass('PHP reaches this server over a Unix socket')
            : Finding::warn(
                'This server is on the same machine, and PHP reaches it over TCP.',
                [
                    new Evidence('address', $server->place, 'config/database.php'),
                    $facts->get(RedisWindow::class)->of($server)->trip(),
                ],
                'Each round trip takes some microseconds more than over a socket.',
                self::fix($server, $app),
            );
    }

    private static function fix(RedisServer $server, Application $app): Fix
    {
        $socket = self::socket($server);

        if ($socket === '') {
            return new Fix(
                'If pages make many round trips, let it listen on a socket (unixsocket and unixsocketperm 770 in'
                    .' redis.conf), add the user of PHP to its group, and set REDIS_HOST to the path and REDIS_PORT'
                    .' to 0.',
                commands: ['sudo usermod -aG redis www-data'],
                rollback: 'Restore REDIS_HOST and REDIS_PORT, and remove the lines from redis.conf.',
            );
        }

        // Predis treats a path as a host name.
        if ((new RedisUsage($app))->client() !== 'phpredis') {
            return new Fix(
                "This server also listens on {$socket}. Predis reaches it with 'scheme' => 'unix' and 'path' =>"
                    ." '{$socket}'"
                    ." of its connections in {$app->file('database')}; with phpredis (check R11) the path is the host.",
                commands: $app->recache(),
                rollback: 'Restore the connections.',
            );
        }

        $host = $app->setting(
            'REDIS_HOST',
            $socket,
            "This server also listens on {$socket}: use it as the host. The user of PHP must be able to write to it.",
        );
        $port = $app->setting('REDIS_PORT', '0', 'The port is then 0.');

        return new Fix("{$host->text} {$port->text}", [...$host->edits, ...$port->edits], $host->commands);
    }

    private static function socket(RedisServer $server): string
    {
        try {
            return $server->setting('unixsocket');
        } catch (FactUnavailable) {
            return '';
        }
    }
}
