<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RedisMove;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

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

    public function rule(): Rule
    {
        return new Rule(
            'L7',
            'Sessions are kept where they cost most, or not at all',
            Severity::High,
            Layer::Laravel,
            'A session is read and written by each request that has one. `database` is the default of new applications'
                .' since Laravel 11, and makes the SQL server commit once for each page view; `file` and `cookie` cost'
                .' less on one machine and do not grow beyond it.',
            'The environment is not local or testing and the driver is database, file, cookie or array.'
                .' That `file` is right for one machine with a local disk is why it is advice.',
            ['https://laravel.com/docs/session#configuration'],
            15,
        );
    }

    public function examine(Facts $facts): array
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
