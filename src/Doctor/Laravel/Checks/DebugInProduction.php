<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class DebugInProduction implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $evidence = [
            new Evidence('app.env', $app->environment, '.env or the environment'),
            new Evidence('app.debug', $app->isDebugging ? 'true' : 'false', '.env or the environment'),
        ];

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        if (! $app->isDebugging) {
            return [Finding::pass('debugging is off', ...$evidence)];
        }

        return [Finding::fail(
            "APP_DEBUG is on, and the environment is {$app->environment}.",
            $evidence,
            'Errors tell strangers what is in the environment, and each request does more than it must.',
            $app->setting('APP_DEBUG', 'false', 'Switch it off.', 'Set it to true again, on a machine without users.'),
        )];
    }
}
