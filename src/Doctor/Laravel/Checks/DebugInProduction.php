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
    private const SOURCE = '.env or the environment';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $evidence = [
            new Evidence('app.env', $app->environment, self::SOURCE),
            new Evidence('app.debug', $app->isDebugging ? 'true' : 'false', self::SOURCE),
        ];

        return [! $app->isDebugging ? Finding::pass('debugging is off', ...$evidence) : Finding::fail(
            "APP_DEBUG is on, and the environment is {$app->environment}.",
            $evidence,
            $app->setting('APP_DEBUG', 'false', rollback: 'Set it to true again, on a machine without users.'),
        )];
    }
}
