<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\CheckText;
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
    private const LEAST_REQUESTS = 10;

    private const MOST_QUERIES = 50.0;

    public function examine(Facts $facts): iterable
    {
        $window = $facts->get(DatabaseWindow::class);
        $counter = $facts->get(DatabaseServer::class)->isMysql() ? 'questions' : 'commits';
        $requests = $window->requests();

        if ($requests < self::LEAST_REQUESTS) {
            throw FactUnavailable::because(
                "PHP-FPM served {$requests} requests while the doctor looked, which is too few. Run the check again"
                    .' while users are there.',
                CheckText::command('L18'),
            );
        }

        $each = $window->rise($counter) / $requests;
        $evidence = [
            $window->shown($counter),
            new Evidence('requests', "+{$requests} in the same time", 'the status pages of PHP-FPM'),
            $window->trip(),
        ];

        return [
            $each <= self::MOST_QUERIES ? Finding::pass('a request sends few queries', ...$evidence) : Finding::warn(
                sprintf('The SQL server received %.0f queries for each request.', $each),
                $evidence,
                new Fix(rollback: 'Remove the calls.'),
            )->observed(),
        ];
    }
}
