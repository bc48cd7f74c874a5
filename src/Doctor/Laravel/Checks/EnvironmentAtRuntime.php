<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class EnvironmentAtRuntime implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $calls = $app->environmentCalls;

        if ($calls === []) {
            return [Finding::pass('env() is called in config/ only')];
        }

        $isCached = $app->isCached('config');
        $words = [
            count($calls) === 1
                ? 'env() is called once outside of config/.'
                : 'env() is called '.count($calls).' times outside of config/, or more.',
            array_map(static fn (string $place): Evidence => new Evidence('env()', 'called', $place), $calls),
            new Fix(rollback: 'Call env() again.'),
            $isCached
                ? 'It returns null now, or a value from the environment of the process.'
                : 'It returns null as soon as the configuration is cached.',
        ];

        return [$isCached ? Finding::fail(...$words) : Finding::warn(...$words)];
    }
}
