<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\MoveToRedis;

/**
 * @internal
 */
final readonly class SessionDriver implements Check
{
    private const COSTS = [
        'database' => 'Each request reads its session from the SQL server and writes it back: a commit for every page'
            .' view, even if it changes nothing.',
        'file' => 'A second machine does not know the users of this one. On a network disk each request waits for it'
            .' twice.',
        'cookie' => 'The whole session travels with every request and every response, for images too if PHP serves'
            .' them.',
        'array' => 'A session ends with its request: no user stays logged in.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $driver = $app->text('session.driver');

        return [isset(self::COSTS[$driver]) ? Finding::warn(
            "The session driver is {$driver}.",
            [$app->evidence('session.driver'), $app->evidence('session.lottery')],
            MoveToRedis::fix($facts, $app, $app->setting(
                'SESSION_DRIVER',
                'redis',
                'If you have Redis or Memcached, store sessions there. All users must log in again.',
            ), ['session.driver' => 'redis']),
            self::COSTS[$driver],
        ) : Finding::pass("sessions are stored by {$driver}", $app->evidence('session.driver'))];
    }
}
