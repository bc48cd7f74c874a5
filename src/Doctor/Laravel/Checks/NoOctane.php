<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class NoOctane implements Check
{
    private const OCTANE = 'laravel/octane';

    private const COMMAND = 'for page in /up /a-page-of-yours; do curl -s -o /dev/null -w "$page %{time_total} s\n"'
        .' "http://localhost$page"; done';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (isset($app->packages[self::OCTANE])) {
            return [Finding::skipped("Octane {$app->packages[self::OCTANE]} is installed")];
        }

        if (! $app->isProduction()) {
            return [Finding::skipped(
                "the environment is {$app->environment}, where each request boots more than it does in production",
            )];
        }

        return [Finding::skipped(
            'whether booting is most of a request is measured at pages, not read from code',
            self::COMMAND,
        )];
    }
}
