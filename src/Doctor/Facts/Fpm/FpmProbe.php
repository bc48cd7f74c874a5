<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

use Headroom\Doctor\AbsentFact;

/**
 * Finds every PHP-FPM that runs, and reads what each is told to do.
 *
 * @internal
 */
final readonly class FpmProbe
{
    public function __construct(private ConfigProbe $configs = new ConfigProbe) {}

    /**
     * @param ?list<RunningMaster> $masters those that run, unless told
     *
     * @throws AbsentFact
     */
    public function facts(?array $masters = null): FpmPools
    {
        $masters ??= RunningMaster::all();
        $pools = [];
        $unread = [];
        $misreads = [];

        foreach ($masters as $master) {
            try {
                $config = $this->configs->of($master, $why);
            } catch (UnreadableConfig $e) {
                $unread[$master->pid] = $e;

                continue;
            }

            array_push($misreads, ...$config->misreads);
            array_push($pools, ...array_map(
                static fn (Pool $pool): FpmPool => new FpmPool($master, $pool, $config->global, $why),
                array_values($config->pools),
            ));
        }

        return $masters === [] ? throw AbsentFact::of('no PHP-FPM runs here') : new FpmPools($pools, $unread, $misreads);
    }
}
