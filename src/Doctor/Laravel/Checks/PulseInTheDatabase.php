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

        $evidence = [$app->inProduction()->evidence('pulse.enabled'), $app->evidence('pulse.ingest.driver')];
        $isHarmless = ! $app->isOn('pulse.enabled') || $app->text('pulse.ingest.driver') !== 'storage';

        return [$isHarmless ? Finding::pass('Pulse does not write within requests', ...$evidence) : Finding::warn(
            'Pulse is on, and its ingest is storage.',
            $evidence,
            $app->setting('PULSE_INGEST_DRIVER', 'redis'),
        )];
    }
}
