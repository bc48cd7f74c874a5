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
        $octane = $app->packages[self::OCTANE] ?? null;

        return [match (true) {
            $octane !== null => Finding::skipped("Octane {$octane} is installed"),
            ! $app->isProduction() => Finding::skipped(
                "the environment is {$app->environment}, where a request boots more than in production",
            ),
            default => Finding::skipped(
                'only a measurement shows whether booting is most of a request',
                self::COMMAND,
            ),
        }];
    }
}
