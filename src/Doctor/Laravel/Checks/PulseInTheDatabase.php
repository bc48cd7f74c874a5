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
final readonly class PulseInTheDatabase implements Check
{
    private const PROVIDER = 'Laravel\\Pulse\\PulseServiceProvider';

    public function rule(): Rule
    {
        return new Rule(
            'L15',
            'Pulse writes to the SQL server at the end of each request',
            Severity::Medium,
            Layer::Laravel,
            'Pulse records what requests, queries, jobs and the cache do, and with the ingest `storage`, its default,'
                .' writes it to the database before the process is free for the next request.'
                .' Its makers advise the ingest `redis`, sampling, and a database of its own where there is traffic.',
            'Pulse is loaded and enabled, its ingest is storage, and the environment is not local or testing.',
            ['https://laravel.com/docs/pulse#performance', 'https://github.com/laravel/pulse/issues/388'],
            20,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);

        if (! in_array(self::PROVIDER, $app->providers, true)) {
            return [Finding::skipped('Pulse is not loaded')];
        }

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $evidence = [$app->evidence('pulse.enabled'), $app->evidence('pulse.ingest.driver')];

        if (! $app->isOn('pulse.enabled') || $app->text('pulse.ingest.driver') !== 'storage') {
            return [Finding::pass('it does not write within requests', ...$evidence)];
        }

        return [Finding::warn(
            'Pulse is on, and its ingest is storage.',
            $evidence,
            'Each request ends with inserts, and the CPU of the SQL server goes to watching.',
            $app->setting(
                'PULSE_INGEST_DRIVER',
                'redis',
                'Let it write to Redis, run `php artisan pulse:work`, and record a sample of what is frequent.',
                'Set it back to storage.',
            ),
        )];
    }
}
