<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class EnvironmentAtRuntime implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L5',
            'env() is called where it says nothing once the configuration is cached',
            Severity::High,
            Layer::Laravel,
            'With a cached configuration Laravel does not read .env, and env() outside of config/ returns null: a key,'
                .' an address or a switch is gone in production and there on every other machine.'
                .' It is why caches are switched off again, and each request then reads all of the configuration.',
            'There is a call of env() in app/, routes/, bootstrap/ or database/.',
            ['https://laravel.com/docs/configuration#configuration-caching'],
            20,
        );
    }

    public function examine(Facts $facts): array
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
            'headroom doctor --only=L5',
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
