<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\RedisWindow;

/**
 * @internal
 */
final readonly class TcpOnOneMachine implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        return $facts->get(RedisServers::class)
            ->each(static function (RedisServer $server) use ($app, $facts): Finding {
                if (! $server->isHere()) {
                    return Finding::skipped('it is on another machine');
                }

                if (str_starts_with($server->place, 'unix:')) {
                    return Finding::pass('it is spoken to over a Unix socket');
                }

                $evidence = [
                    new Evidence('address', $server->place, 'config/database.php'),
                    $facts->get(RedisWindow::class)->of($server)->trip(),
                ];

                return Finding::warn(
                    'It is on this machine, by TCP.',
                    $evidence,
                    'Each round trip costs some microseconds more than it has to.',
                    self::fix($server, $app),
                );
            });
    }

    private static function fix(RedisServer $server, Application $app): Fix
    {
        try {
            $socket = $server->setting('unixsocket');
        } catch (FactUnavailable) {
            $socket = '';
        }

        $back = 'Set REDIS_HOST and REDIS_PORT back.';

        if ($socket === '') {
            return new Fix(
                'Where pages make many round trips: let it listen at a socket (unixsocket and unixsocketperm 770 in'
                    .' redis.conf), put the user of PHP into its group, and set REDIS_HOST to its path and'
                    .' REDIS_PORT to 0.',
                [],
                ['sudo usermod -aG redis www-data'],
                "{$back} Remove the lines of redis.conf.",
            );
        }

        // Predis takes a path for the name of a machine.
        if ((new RedisUsage($app))->client() !== 'phpredis') {
            return new Fix(
                "It listens at {$socket} as well. Predis reaches it with 'scheme' => 'unix' and 'path' => "
                    ."'{$socket}' of its connections in {$app->file('database')}; with phpredis (check R11) the "
                    .'path is the host.',
                [],
                $app->recache(),
                $back,
            );
        }

        $host = $app->setting(
            'REDIS_HOST',
            $socket,
            "It listens at {$socket} as well: use that as host; the user of PHP needs the right to write to it.",
            $back,
        );
        $port = $app->setting('REDIS_PORT', '0', 'Its port is 0 then.', $back);

        return new Fix(
            "{$host->text} {$port->text}",
            [...$host->edits, ...$port->edits],
            $host->commands,
            $back,
        );
    }
}
