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

/**
 * @internal
 */
final readonly class ManyQueries implements Check
{
    private const REQUESTS = 10;

    private const EACH = 50.0;

    public function examine(Facts $facts): iterable
    {
        $window = $facts->get(DatabaseWindow::class);
        $counter = $facts->get(DatabaseServer::class)->isMysql() ? 'questions' : 'commits';
        $requests = $window->requests();

        if ($requests < self::REQUESTS) {
            throw FactUnavailable::because(
                "PHP-FPM took {$requests} requests while the doctor looked, which says nothing."
                    .' Ask again while users are there.',
                'headroom doctor --only=L18',
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
            ),
        )->restingOn(Confidence::Observed)];
    }
}
