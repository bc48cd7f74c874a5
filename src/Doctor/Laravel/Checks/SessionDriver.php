<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RedisMove;

/**
 * @internal
 */
final readonly class SessionDriver implements Check
{
    private const COSTS = [
        'database' => 'Each request reads its session from the SQL server and writes it back:'
            .' a commit for every page view, also for those that change nothing.',
        'file' => 'Sessions lie on this machine, so a second one does not know who is logged in;'
            .' and on a network disk each request waits for it twice.',
        'cookie' =>
            'The whole session travels with every request and every answer, images included where they come by PHP.',
        'array' => 'A session ends with its request: nobody stays logged in.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $driver = $app->text('session.driver');

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        if (! isset(self::COSTS[$driver])) {
            return [Finding::pass("sessions are kept by {$driver}", $app->evidence('session.driver'))];
        }

        return [Finding::warn(
            "The session driver is {$driver}.",
            [$app->evidence('session.driver'), $app->evidence('session.lottery')],
            self::COSTS[$driver],
            RedisMove::fix(
                $facts,
                $app,
                $app->setting(
                    'SESSION_DRIVER',
                    'redis',
                    'Where there is Redis or Memcached, keep them there. Who is logged in has to log in again.',
                    'Set it back; sessions of before are found again.',
                ),
                ['session.driver' => 'redis'],
            ),
        )];
    }
}
