<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

/**
 * The configuration of Laravel Horizon.
 *
 * @internal
 */
final readonly class Horizon
{
    public function __construct(private Application $app) {}

    /** The largest number of workers in this environment; 0 without Horizon. */
    public function processes(): int
    {
        if (! isset($this->app->packages['laravel/horizon'])) {
            return 0;
        }

        foreach ($this->app->keys('horizon.environments') as $pattern) {
            if (fnmatch($pattern, $this->app->environment)) {
                return array_sum(array_map(
                    fn (string $name): int => $this->ofSupervisor($pattern, $name),
                    $this->app->keys("horizon.environments.{$pattern}"),
                ));
            }
        }

        return 0;
    }

    private function ofSupervisor(string $environment, string $supervisor): int
    {
        foreach (['maxProcesses', 'processes'] as $option) {
            foreach (["horizon.environments.{$environment}", 'horizon.defaults'] as $section) {
                $number = $this->app->number("{$section}.{$supervisor}.{$option}");

                if ($number !== null) {
                    return (int) $number;
                }
            }
        }

        return 1;
    }
}
