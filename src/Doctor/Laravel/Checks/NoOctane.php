<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class NoOctane implements Check
{
    private const OCTANE = 'laravel/octane';

    private const COMMAND = 'for page in /up /a-page-of-yours; do curl -s -o /dev/null -w "$page %{time_total} s\n"'
        .' "http://localhost$page"; done';

    public function rule(): Rule
    {
        return new Rule(
            'L17',
            'Booting is most of a request, and Octane is not used',
            Severity::Info,
            Layer::Laravel,
            'With PHP-FPM each request boots the framework and every service provider. Octane boots once and serves'
                .' many requests, which pays where booting is more than half of a request; it also keeps what is left'
                .' in static properties and singletons from one request to the next, so that it is no change'
                .' of a setting.',
            'Never by itself: how long a page takes is not in the code. --all shows the command that tells:'
                .' the health route /up does little else than boot. Where it takes more than half of what a page takes,'
                .' Octane is worth a trial, with --max-requests=500.',
            ['https://laravel.com/docs/octane'],
            480,
        );
    }

    public function examine(Facts $facts): array
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
