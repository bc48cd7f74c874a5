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

        if ($app->environmentCalls === []) {
            return [Finding::pass('env() is called in config/ only')];
        }

        $evidence = array_map(
            static fn (string $place): Evidence => new Evidence('env()', 'called', $place),
            $app->environmentCalls,
        );
        $message = count($evidence) === 1
            ? 'env() is called once outside of config/.'
            : 'env() is called '.count($evidence).' times outside of config/, or more.';
        $fix = new Fix(
            'Put the value into a file of config/, and ask config() for it.',
            [],
            [],
            'Put env() back.',
        );

        return [$app->isCached('config')
            ? Finding::fail(
                $message,
                $evidence,
                'It returns null now, or what happens to be in the environment of the process.',
                $fix,
            )
            : Finding::warn($message, $evidence, 'It returns null as soon as the configuration is cached.', $fix)];
    }
}
