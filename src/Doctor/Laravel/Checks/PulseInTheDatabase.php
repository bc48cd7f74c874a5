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
final readonly class PulseInTheDatabase implements Check
{
    private const PROVIDER = 'Laravel\\Pulse\\PulseServiceProvider';

    public function examine(Facts $facts): iterable
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
                'Let it write to Redis, run `pulse:work`, and record a sample of what is frequent.',
                'Set it back to storage.',
            ),
        )];
    }
}
