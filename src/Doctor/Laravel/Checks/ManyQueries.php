<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ManyQueries implements Check
{
    private const REQUESTS = 10;

    private const EACH = 50.0;

    public function rule(): Rule
    {
        return new Rule(
            'L18',
            'A request asks the database dozens of times',
            Severity::Medium,
            Layer::Laravel,
            'A list that asks for the author of each of its lines sends one query per line (N+1). Each is quick,'
                .' so that no log of slow queries shows it, and together they are most of the request;'
                .' with a database on another machine each is a round trip as well.',
            'During the second that the doctor looked the SQL server was asked more than 50 times (PostgreSQL:'
                .' committed more than 50 times) for each request that PHP-FPM of this machine took, and there were ten'
                .' requests or more. Other clients of the server are among those who asked.',
            [
                'https://laravel.com/docs/eloquent-relationships#eager-loading',
                'https://laravel.com/docs/database#monitoring-cumulative-query-time',
            ],
            60,
        );
    }

    public function examine(Facts $facts): array
    {
        $window = $facts->get(DatabaseWindow::class);
        $counter = $facts->get(DatabaseServer::class)->isMysql() ? 'questions' : 'commits';
        $requests = $window->requests();

        if ($requests < self::REQUESTS) {
            throw FactUnavailable::because(
                "PHP-FPM took {$requests} requests while the doctor looked, which says nothing."
                    .' Ask again while users are there.',
                'php artisan headroom:doctor --only=L18',
            );
        }

        $each = $window->rise($counter) / $requests;
        $evidence = [
            $window->shown($counter),
            new Evidence('requests', "+{$requests} in the same time", 'the status pages of PHP-FPM'),
            $window->trip(),
        ];

        return [$each <= self::EACH ? Finding::pass('a request asks it a few times', ...$evidence) : Finding::warn(
            sprintf('The SQL server was asked %.0f times for each request.', $each),
            $evidence,
            'Requests take as many round trips longer, and the SQL server is busy with small questions.',
            new Fix(
                'Find the page: DB::whenQueryingForLongerThan(500, ...) in a service provider tells it in production,'
                    .' Model::preventLazyLoading() each place of it in development. Then load what a list needs at'
                    .' once: with().',
                [],
                [],
                'Take the calls out.',
                'php artisan headroom:doctor --only=L18',
            ),
        )->restingOn(Confidence::Observed)];
    }
}
